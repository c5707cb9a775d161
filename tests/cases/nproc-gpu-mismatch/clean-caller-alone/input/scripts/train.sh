CUDA_VISIBLE_DEVICES=0 torchrun --standalone --nproc_per_node=2 eval.py
torchrun --standalone --nproc_per_node=${GPUS:-8} train.py
