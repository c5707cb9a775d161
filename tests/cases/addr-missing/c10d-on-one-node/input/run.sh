torchrun --nnodes=1 --nproc_per_node=8 --rdzv_backend=c10d train.py
