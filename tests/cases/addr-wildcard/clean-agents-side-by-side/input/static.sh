torchrun --rdzv_endpoint=0.0.0.0:29507 --nproc_per_node=8 train.py
torchrun --standalone --rdzv_endpoint=0.0.0.0:29507 --nproc_per_node=8 train.py
torchrun --nnodes=2 --rdzv_backend=c10d --rdzv_conf=is_host=1 --rdzv_endpoint=0.0.0.0:29507 --nproc_per_node=8 train.py
