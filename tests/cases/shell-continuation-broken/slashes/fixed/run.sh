torchrun --nproc_per_node=8 \
    --standalone train.py --lr 1e-4
torchrun --standalone \
    --nproc_per_node=8 \
    tools/train.py --lr 1e-4
