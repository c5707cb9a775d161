docker run --rm --gpus all --ipc=host train:1 export --format onnx
docker run --rm --gpus all --ipc=host train:1 torchrun --standalone --nproc_per_node=2 train.py && cd /tmp
