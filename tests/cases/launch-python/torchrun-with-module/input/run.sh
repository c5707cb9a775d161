#!/bin/bash
torchrun --standalone --nproc_per_node=8 python3 -m pkg.train --lr 1e-4
