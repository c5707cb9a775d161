NGPU=${NGPU:-"8"}
torchrun --standalone --nproc_per_node=${NGPU} train.py
