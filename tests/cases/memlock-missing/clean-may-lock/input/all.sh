docker run --gpus all --network host --ipc host --privileged -e NCCL_IB_HCA=mlx5_0 train:1 torchrun --nnodes 2 --nproc_per_node 8 --node_rank 1 --master_addr 10.2.0.2 --master_port 29500 train.py
