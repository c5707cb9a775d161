deepspeed --hostfile hosts --include "worker-1:0@localhost:1" train.py
