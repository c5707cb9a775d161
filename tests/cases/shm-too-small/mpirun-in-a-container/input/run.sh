docker run --rm --gpus all --net=host -v "$PWD:/work" -w /work registry.local/hvd:1 mpirun --allow-run-as-root -np 8 -bind-to none -map-by slot -x PATH python train.py
