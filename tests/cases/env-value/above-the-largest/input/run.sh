export NCCL_IB_TIMEOUT=100
export NCCL_IB_RETRY_CNT=${NCCL_IB_RETRY_CNT:-32}
export NCCL_IB_TC=160
export NCCL_IB_SL=0x3
torchrun --standalone --nproc_per_node=4 train.py
