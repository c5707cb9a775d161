export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:512,expandable_segments:True
torchrun --standalone --nproc_per_node=4 train.py
