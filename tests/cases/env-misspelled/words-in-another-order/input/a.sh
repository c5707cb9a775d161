export CUDA_DEVICES_VISIBLE=0,1
export NCCL_DISABLE_IB=1
export VISIBLE_CUDA_DEVICES=0,1
torchrun --standalone --nproc_per_node=2 train.py
