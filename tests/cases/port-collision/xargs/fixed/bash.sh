seq 0 3 | xargs -P4 -I{} bash -c 'CUDA_VISIBLE_DEVICES={} torchrun --standalone --nproc_per_node=1 train.py --fold {}'
