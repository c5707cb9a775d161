docker run --gpus all --shm-size=8g -v $PWD:/w -it myimage:1 torchrun --standalone --nproc_per_node=4 train.py
docker run --ipc=host --network host --rm myimage:1 \
  bash -c "torchrun --standalone --nproc_per_node=4 train.py"
