export ACCELERATE_MIXED_PRECISION=bf16
export ACCELERATE_USE_FSDP=true
torchrun --standalone --nproc_per_node=8 train.py
