torchrun --standalone --nproc_per_node 8 -m accelerate.commands.launch --num_processes 8 train.py
python -m torch.distributed.run --standalone --nproc_per_node 8 -m torch.distributed.run --nproc_per_node 8 train.py
