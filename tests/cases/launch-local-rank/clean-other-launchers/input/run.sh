python -m torch.distributed.launch --nproc_per_node=2 --master_port=$PORT --use_env tools/train.py --lr 1e-4
torchrun --standalone --nproc_per_node=2 tools/train.py
