#!/bin/bash
# Filled in by submit.py, which also says how many nodes there are.
torchrun --nproc_per_node={gpus} --nnodes=@NODES@ --max_restarts={{restarts}} \
    --rdzv_backend=c10d --rdzv_endpoint=$HEAD:29500 --rdzv_id='%(job)s' train.py
