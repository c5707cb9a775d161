export CUDA_VISIBLE_DEVICES=${GPUS:-all}
[ "$CUDA_VISIBLE_DEVICES" = all ] && unset CUDA_VISIBLE_DEVICES
export NCCL_DEBUG=${NCCL_DEBUG:-WARN}
torchrun --standalone --nproc_per_node=4 train.py
