PYTORCH_NPU_ALLOC_CONF=expandable_segments=True torchrun --standalone --nproc_per_node=4 train.py
