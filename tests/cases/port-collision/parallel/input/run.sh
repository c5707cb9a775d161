parallel --jobs 4 'CUDA_VISIBLE_DEVICES={} torchrun --nproc_per_node 1 --master_port 29500 train.py --seed {}' ::: 0 1 2 3
