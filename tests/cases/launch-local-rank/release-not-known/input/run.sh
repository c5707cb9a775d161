python -m torch.distributed.launch --nproc_per_node=2 --master_port=$PORT tools/train.py --lr 1e-4
