seq 0 3 | xargs -P 4 -I{} bash -c 'torchrun --master_port=2950{} --nproc_per_node=1 train.py --fold {}'
seq 0 3 | xargs -P 4 -I{} bash -c 'torchrun --master_port=$((29500 + {})) --nproc_per_node=1 train.py --fold {}'
parallel -j2 --link torchrun --nproc_per_node 1 --master_port {1} train.py --seed {2} ::: 29500 29501 ::: 1 2
