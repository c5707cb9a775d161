docker run -d --gpus device=0 -p 127.0.0.1:29512:29500 t:1 torchrun --nproc_per_node=1 --master_port=29500 train.py --fold 0
docker run -d --gpus device=1 -p 10.0.0.4:29512:29500 t:1 torchrun --nproc_per_node=1 --master_port=29500 train.py --fold 1
docker run -d --gpus device=2 -p 29500 t:1 torchrun --nproc_per_node=1 --master_port=29500 train.py --fold 2
