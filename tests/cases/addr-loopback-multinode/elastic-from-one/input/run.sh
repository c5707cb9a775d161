torchrun --nnodes=1:2 --nproc_per_node=4 --rdzv_id=7 --rdzv_backend=c10d --rdzv_endpoint=localhost:21813 train.py
