docker run -d --gpus device=0 -p 29511:29500 --name a t:1 torchrun --nproc_per_node=1 --master_port=29500 train.py --fold 0
docker run -d --gpus device=1 -p 29511:29500 --name b t:1 torchrun --nproc_per_node=1 --master_port=29500 train.py --fold 1
