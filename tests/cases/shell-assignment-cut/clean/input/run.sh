CUDA_VISIBLE_DEVICES= torchrun --standalone --nproc_per_node=2 train.py --backend gloo
export MASTER_ADDR MASTER_PORT=29500
if [ "$NNODES" = 2 ]; then echo two; fi
[[ $RANK = 0 ]] && echo first
CUDA_VISIBLE_DEVICES="0, 1" torchrun --standalone --nproc_per_node=2 train.py
