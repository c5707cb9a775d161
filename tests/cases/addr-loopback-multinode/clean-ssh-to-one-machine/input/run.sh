ssh box "CUDA_VISIBLE_DEVICES=0 torchrun --nnodes 2 --nproc_per_node 1 --node_rank 0 --master_addr localhost --master_port 29511 train.py" &
ssh box "CUDA_VISIBLE_DEVICES=1 torchrun --nnodes 2 --nproc_per_node 1 --node_rank 1 --master_addr localhost --master_port 29511 train.py" &
wait
