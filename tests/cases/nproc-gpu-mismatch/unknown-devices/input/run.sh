CUDA_VISIBLE_DEVICES=$GPUS torchrun --standalone --nproc_per_node=8 train.py
