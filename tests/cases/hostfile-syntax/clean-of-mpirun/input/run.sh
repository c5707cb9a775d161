mpirun -np 8 --hostfile conf/hosts python train.py
