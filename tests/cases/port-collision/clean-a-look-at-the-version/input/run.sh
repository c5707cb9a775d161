#!/bin/bash
export MASTER_ADDR=localhost
export MASTER_PORT=${MASTER_PORT:-21700}
python -c "import torch; print(torch.__version__)" &
python train.py
