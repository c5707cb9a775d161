deepspeed --hostfile hosts --include "worker-1:0@1" train.py
