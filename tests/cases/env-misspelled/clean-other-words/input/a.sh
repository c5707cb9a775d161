export CUDA_DEVICE_ORDER=PCI_BUS_ID
export CUDA_DEVICE_MAX_CONNECTIONS=1
export VISIBLE_DEVICES=0,1
export NCCL_IB_DISABLE=1
torchrun --standalone --nproc_per_node=2 train.py
