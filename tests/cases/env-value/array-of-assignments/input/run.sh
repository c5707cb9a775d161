ENVS=(NCCL_DEBUG=VERBOSE)
env "${ENVS[@]}" torchrun --standalone --nproc_per_node=2 train.py
