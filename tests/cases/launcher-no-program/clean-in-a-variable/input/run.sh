#!/bin/bash
LAUNCH="torchrun --standalone --nproc_per_node=4"
$LAUNCH pretrain.py
