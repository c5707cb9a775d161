export CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-0,1,2,3}
if [ -n "$QUIET" ]; then
  export NCCL_DEBUG=WARN
else
  export NCCL_DEBUG=WARN
fi
export NCCL_IB_DISABLE=${NCCL_IB_DISABLE:-0}
torchrun --standalone --nproc_per_node=4 train.py
