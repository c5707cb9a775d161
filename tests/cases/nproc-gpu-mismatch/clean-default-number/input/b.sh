export CUDA_VISIBLE_DEVICES=${GPUS:-0,1}
torchrun --standalone --nproc_per_node=${NGPU:-8} train.py
