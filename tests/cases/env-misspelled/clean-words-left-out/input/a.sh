CUDA_VISIBLE=0,1
export CUDA_VISIBLE_DEVICES=$CUDA_VISIBLE
torchrun --standalone --nproc_per_node=2 train.py
