#!/bin/bash
torchrun --nproc_per_node=8 --standalone -m llamafactory.cli export /c/merge.yaml
