docker run -d --name master --shm-size 8g --gpus device=0 -e MASTER_ADDR=172.17.0.2 -e MASTER_PORT=29500 -e RANK=0 -e WORLD_SIZE=2 t:1 python train.py
docker run -d --name worker --link master --shm-size 8g --gpus device=1 -e MASTER_ADDR=master -e MASTER_PORT=29500 -e RANK=1 -e WORLD_SIZE=2 t:1 python train.py
