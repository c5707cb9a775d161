#!/bin/bash
# A folder of one's own that holds a module, the module of a variable, a message.
python -m deepspeed.launcher.runner --num_gpus=2 train.py
python -m "$LAUNCHER" --nproc_per_node=2 train.py
echo "python -m torchrun does not work"
