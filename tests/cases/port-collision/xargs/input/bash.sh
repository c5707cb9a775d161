seq 0 3 | xargs -P4 -I{} bash -c 'CUDA_VISIBLE_DEVICES={} torchrun --master_port=29511 --nproc_per_node=1 train.py --fold {}'
