torchrun --standalone --nnodes=1 --nproc-per-node=$1 --max-restarts 2 train.py --some-flag
python -m torch.distributed.launch --nproc-per-node 2 --master-port=$PORT train.py
