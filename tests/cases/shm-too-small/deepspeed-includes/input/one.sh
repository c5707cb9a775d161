docker run --gpus all -v "$PWD:/work" -w /work registry.local/ds:1 deepspeed --include=localhost:3 train.py --deepspeed
