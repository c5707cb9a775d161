ssh node0 docker exec -dit trainer torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=node0 --master_port=29501 train.py
ssh node1 docker exec --detach trainer torchrun --nnodes=2 --node_rank=1 --nproc_per_node=8 --master_addr=node0 --master_port=29501 train.py
