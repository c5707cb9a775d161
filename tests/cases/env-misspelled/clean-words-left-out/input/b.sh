export NCCL_SOCKET=1 TORCH_DISTRIBUTED=1
torchrun --standalone --nproc_per_node=2 train.py
