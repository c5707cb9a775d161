export PYTORCH_ALLOC_CONF=backend:cudaMallocAsync,expandable_segments:False
export MY_ALLOC_CONF=expandable_segments:true
torchrun --standalone --nproc_per_node=4 train.py
