#!/bin/bash
accelerate launch --config_file conf/acc.yaml train.py conf/acc.yaml
torchrun --standalone --nproc_per_node 4 --no_python tool train.py
torchrun --standalone --nproc_per_node 4 main train.py
torchrun --standalone --nproc_per_node 4 -m pkg train.py
torchrun --standalone --nproc_per_node 4 "$PROGRAM" train.py
torchrun --standalone --nproc_per_node 4 train.py other.py
