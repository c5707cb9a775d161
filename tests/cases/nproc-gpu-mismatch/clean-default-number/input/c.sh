torchrun --standalone --nproc_per_node=${NGPU:-8} train.py
