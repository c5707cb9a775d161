docker run --rm -v "$PWD:/work" -w /work registry.local/fenics:1 mpirun -np 8 python3 poisson.py
