export NCCL_DEBUG=INFO RUN_NAME=first
torchrun --standalone --nproc_per_node=8 train.py
