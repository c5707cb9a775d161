#!/bin/bash
torchrun --standalone --nproc_per_node=128 -m pkg.t
torchrun --standalone --nproc_per_node=128 -m lib.run
torchrun --standalone --nproc_per_node=128 listed.py
