docker run --shm-size=16gb --gpus all -v "$PWD:/work" -w /work registry.local/ds:1 deepspeed --include=localhost:1,2,6,7 train.py --deepspeed
