export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True,max_split_size_mb:512
torchrun --standalone --nproc_per_node=4 train.py
