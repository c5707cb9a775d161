ls configs/*.yaml | xargs -P 4 -I{} torchrun --standalone --nproc_per_node 1 train.py --config {}
