torchrun --standalone --nnodes=1 --nproc_per_node=$1 --max_restarts 2 train.py --some-flag
python -m torch.distributed.launch --nproc_per_node 2 --master_port=$PORT train.py
