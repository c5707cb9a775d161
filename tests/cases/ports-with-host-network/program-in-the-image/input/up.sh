docker run -d --gpus all --network host --ipc host -p 29500:29500 --env-file node.env registry.local/train:1
