torchrun \
--nproc_per_node=2\
--standalone\
train.py --lr 1e-4
