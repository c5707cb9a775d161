docker run --gpus all --ipc=host -e NCCL_DEBUG=WARN --env=NCCL_P2P_DISABLE=1 $IMAGE torchrun --standalone --nproc_per_node=2 train.py
docker run --gpus all $OPTIONS "$IMAGE" torchrun --standalone --nproc_per_node=2 train.py
