docker run --rm --gpus all --ipc=host trainer:1 --gpus 4 --config a.yaml
