export CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-0-3}
if [ -n "$QUIET" ]; then
  export NCCL_DEBUG=ERROR
else
  export NCCL_DEBUG=WARN
fi
export NCCL_IB_DISABLE="${NCCL_IB_DISABLE:-false}"
torchrun --standalone --nproc_per_node=4 train.py
