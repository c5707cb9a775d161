#!/bin/bash
huggingface-cli login --token hf_q8ZkPvT2mXwRy5LbNcDs7JhGf4Ae9Ku1Qo
torchrun --standalone --nproc_per_node=2 train.py
