#!/bin/bash
engine=torch_ddp
deepspeed_config=conf/ds_stage2.json

. tools/parse_options.sh || exit 1

torchrun --standalone --nproc_per_node=4 bin/train.py \
    --train_engine ${engine} --deepspeed_config ${deepspeed_config}
