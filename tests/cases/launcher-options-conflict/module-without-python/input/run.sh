#!/bin/bash
torchrun --standalone --nproc_per_node=8 --no_python -m pkg.train
