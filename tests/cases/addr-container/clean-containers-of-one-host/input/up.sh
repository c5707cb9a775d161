docker run -d --name t0 --gpus device=0 --shm-size=8g t:1 torchrun --nnodes=2 --node_rank=0 --nproc_per_node=1 --master_addr=172.17.0.2 --master_port=29500 train.py
docker run -d --name t1 --gpus device=1 --shm-size=8g t:1 torchrun --nnodes=2 --node_rank=1 --nproc_per_node=1 --master_addr=172.17.0.2 --master_port=29500 train.py
