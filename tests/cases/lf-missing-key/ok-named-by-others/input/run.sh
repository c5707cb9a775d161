#!/bin/bash
# llamafactory-cli train own.yaml
torchrun --standalone --nproc_per_node=8 train.py program.yaml
python my_trainer.py --config other.yaml
axolotl preprocess tool.yaml
