#!/bin/bash
mpirun -np 2 -N 1 -H n1,n2 bash -c "torchrun --nnodes=2 --node_rank=\$OMPI_COMM_WORLD_RANK --nproc_per_node=8 --master_addr=$(hostname) --master_port=29501 train.py"
