#!/bin/bash
NPROC_PER_NODE=2 \
swift sft \
    --model Qwen/Qwen2.5-7B-Instruct \
    --system A=1 \
    --dataset data.jsonl
