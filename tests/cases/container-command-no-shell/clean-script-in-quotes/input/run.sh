#!/bin/bash
ENVS="NCCL_DEBUG=WARN OMP_NUM_THREADS=8"
docker run --rm --gpus all --ipc=host train:1 bash -c "$ENVS torchrun --standalone --nproc_per_node=2 train.py"
docker exec trainer sh -c "cd /app && torchrun --standalone --nproc_per_node=2 train.py"
srun bash -c "cd /app && OMP_NUM_THREADS=8 torchrun --standalone --nproc_per_node=2 train.py"
