export ACCELERATE_MIXED_PRECISION=fp32
export ACCELERATE_USE_FSDP=True
export ACCELERATE_USE_DEEPSPEED=1
torchrun --standalone --nproc_per_node=8 train.py --title “first”
