docker run -d --ipc=host --network host --gpus device=0 t:1 torchrun --nnodes=2 --node_rank=0 --nproc_per_node=1 --master_addr=localhost --master_port=29500 train.py
docker run -d --ipc=host --network host --gpus device=1 t:1 torchrun --nnodes=2 --node_rank=1 --nproc_per_node=1 --master_addr=localhost --master_port=29500 train.py
