#!/bin/bash
export NPROC_PER_NODE=2
swift sft \
    --model Qwen/Qwen2.5-7B-Instruct \
    --dataset data.jsonl
