export ACCELERATE_MIXED_PRECISION=fp32
export ACCELERATE_USE_FSDP=True
export ACCELERATE_USE_DEEPSPEED=1
torchrun --standalone --nproc_per_node=8 train.py --title “first”

# what transformers reads when it loads the model
ACCELERATE_USE_FSDP=1 FSDP_CPU_RAM_EFFICIENT_LOADING=1 torchrun --standalone --nproc_per_node 4 train.py
