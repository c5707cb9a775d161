podman pod create --name job --shm-size 16g
podman run -d --pod job --device nvidia.com/gpu=0 t:1 torchrun --nnodes=2 --node_rank=0 --nproc_per_node=1 --master_addr=localhost --master_port=29500 train.py
podman run -d --pod job --device nvidia.com/gpu=1 t:1 torchrun --nnodes=2 --node_rank=1 --nproc_per_node=1 --master_addr=localhost --master_port=29500 train.py
