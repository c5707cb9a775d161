#!/bin/bash
podman run --rm --network=host --env-file=env/train.env -e MASTER_ADDR=10.0.0.4 train:1.4 torchrun --standalone --nproc_per_node=2 train.py
