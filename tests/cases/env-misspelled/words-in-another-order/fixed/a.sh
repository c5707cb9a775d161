export CUDA_VISIBLE_DEVICES=0,1
export NCCL_IB_DISABLE=1
export CUDA_VISIBLE_DEVICES=0,1
torchrun --standalone --nproc_per_node=2 train.py
