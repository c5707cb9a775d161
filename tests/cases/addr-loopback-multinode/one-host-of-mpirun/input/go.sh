mpirun -np 8 -H localhost:8 -x MASTER_ADDR=localhost -x MASTER_PORT=${PORT:-23456} python train.py
