#!/bin/bash
engine() {
    docker "$@"
}

engine run --rm --ipc=host --network=host --device=/dev/infiniband \
    $IMAGE torchrun --standalone --nproc_per_node=8 train.py
