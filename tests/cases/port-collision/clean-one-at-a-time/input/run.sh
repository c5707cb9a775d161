ls configs/*.yaml | xargs -I{} torchrun --nproc_per_node 1 --master_port 29500 train.py --config {}
parallel -j1 torchrun --nproc_per_node 1 --master_port 29500 train.py --seed {} ::: 1 2 3
