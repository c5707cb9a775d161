export ACCELERATE_MIXED_PRECISION=BF16
export ACCELERATE_USE_FSDP=1
torchrun --standalone --nproc_per_node=8 train.py
