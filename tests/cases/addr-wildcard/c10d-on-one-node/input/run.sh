torchrun --nnodes=1 --nproc_per_node=8 --rdzv_id=9540 --rdzv_backend=c10d --rdzv_endpoint=0.0.0.0:12325 train.py
