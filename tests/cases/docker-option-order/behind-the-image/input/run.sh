docker run -it myimage:1 --gpus all --shm-size=8g -v $PWD:/w torchrun --standalone --nproc_per_node=4 train.py
docker run --rm myimage:1 --ipc=host \
  --network host \
  bash -c "torchrun --standalone --nproc_per_node=4 train.py"
