parallel --jobs 4 'CUDA_VISIBLE_DEVICES={} torchrun --standalone --nproc_per_node 1 train.py --seed {}' ::: 0 1 2 3
