mpirun -np 8 docker run --rm --gpus all registry.local/hvd:1 python train.py
