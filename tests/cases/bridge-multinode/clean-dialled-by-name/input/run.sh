docker run -d --name head --shm-size 8g train:1 torchrun --nnodes 2 --nproc_per_node 2 --rdzv_id 7 --rdzv_backend c10d --rdzv_endpoint head:29500 train.py
docker run -d --name hand --shm-size 8g train:1 torchrun --nnodes 2 --nproc_per_node 2 --rdzv_id 7 --rdzv_backend c10d --rdzv_endpoint head:29500 train.py
