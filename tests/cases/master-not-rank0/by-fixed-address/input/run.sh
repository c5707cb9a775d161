docker network create --subnet 10.77.0.0/24 train
docker run -d --name a --network train --ip 10.77.0.10 --gpus device=0 --shm-size 8g t:1 torchrun --nnodes=2 --nproc_per_node=1 --node_rank=1 --master_addr=10.77.0.10 --master_port=29500 t.py
docker run -d --name b --network train --ip 10.77.0.11 --gpus device=1 --shm-size 8g t:1 torchrun --nnodes=2 --nproc_per_node=1 --node_rank=0 --master_addr=10.77.0.10 --master_port=29500 t.py
