torchrun --nnodes=2 --nproc_per_node=4 --rdzv_id=exp--7 --rdzv_backend=c10d --rdzv_endpoint=$HEAD:29400 train.py
torchrun --standalone --nproc_per_node=4 train.py --name=a--nnodes
