#!/bin/bash
#SBATCH --nodes=2
srun -N1 --nodelist=p-gc-1 accelerate launch --config_file node1.yaml train.py &
srun -N1 --nodelist=p-gc-2 accelerate launch --config_file node2.yaml train.py &
wait
