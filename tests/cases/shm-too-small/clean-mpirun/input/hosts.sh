docker run --rm --gpus all --net=host registry.local/hvd:1 mpirun --allow-run-as-root -np 8 -H a:1,b:1,c:1,d:1 python train.py
