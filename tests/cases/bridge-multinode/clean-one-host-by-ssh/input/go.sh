ssh gpu1 "docker run --rm --gpus 4 --network train --name m --shm-size=8g t:1 torchrun --nnodes=2 --node_rank=0 --nproc_per_node=4 --master_addr=m --master_port=29500 train.py" &
ssh gpu1 "docker run --rm --gpus 4 --network train --shm-size=8g t:1 torchrun --nnodes=2 --node_rank=1 --nproc_per_node=4 --master_addr=m --master_port=29500 train.py" &
wait
