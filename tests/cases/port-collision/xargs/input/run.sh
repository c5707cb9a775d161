ls configs/*.yaml | xargs -P 4 -I{} torchrun --nproc_per_node 1 --master_port 29500 train.py --config {}
