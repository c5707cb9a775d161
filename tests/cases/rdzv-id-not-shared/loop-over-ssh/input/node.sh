RUN_ID=$(uuidgen)
torchrun --nnodes=2 --nproc_per_node=8 --rdzv_id=$RUN_ID --rdzv_backend=c10d --rdzv_endpoint=gpu01:29400 train.py
