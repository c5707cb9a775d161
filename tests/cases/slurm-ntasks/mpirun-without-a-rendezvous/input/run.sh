mpirun -np 8 torchrun --nproc_per_node=8 --master_port=$PORT train.py
mpirun -np 8 torchrun --nproc_per_node=1 --standalone train.py
