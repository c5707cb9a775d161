ssh gpu1 "docker run --rm --gpus all --shm-size=8g t:1 torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=10.0.0.1 --master_port=29500 train.py" &
ssh gpu2 "docker run --rm --gpus all --shm-size=8g t:1 torchrun --nnodes=2 --node_rank=1 --nproc_per_node=8 --master_addr=10.0.0.1 --master_port=29500 train.py" &
wait
