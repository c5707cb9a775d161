docker run --rm --gpus all --ipc=host train:1 SEED=1 model=small trainer.devices=2
docker run --rm --gpus all --ipc=host -w /app train:1 torchrun --standalone --nproc_per_node=2 train.py
