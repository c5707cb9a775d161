python -m torch.distributed.run --nproc_per_node=1 --nnodes=2 --rdzv_id=ID1--rdzv_backend=c10d --rdzv_endpoint='10.0.0.1:2400' train.py
torchrun --nnodes 2 --nproc_per_node 4 --rdzv_id $JOB--rdzv_backend=c10d --rdzv_endpoint=$HEAD:29400 train.py
