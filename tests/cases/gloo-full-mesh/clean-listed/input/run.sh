#!/bin/bash
torchrun --standalone --nproc_per_node=128 halves.py
torchrun --standalone --nproc_per_node=128 others.py
torchrun --standalone --nproc_per_node=128 -m somewhere.else
