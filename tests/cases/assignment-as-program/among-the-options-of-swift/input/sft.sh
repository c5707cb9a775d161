#!/bin/bash
swift sft \
    NPROC_PER_NODE=2 \
    --model Qwen/Qwen2.5-7B-Instruct \
    --dataset data.jsonl
