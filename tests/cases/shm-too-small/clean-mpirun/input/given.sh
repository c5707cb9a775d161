docker run --rm --gpus all --shm-size=8g registry.local/hvd:1 mpirun --allow-run-as-root -np 8 python train.py
