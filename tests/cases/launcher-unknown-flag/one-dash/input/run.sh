torchrun -nproc_per_node=4 -master_port=29511 train.py
deepspeed -hostfile hosts.txt train.py
deepspeed -include localhost:0,1 train.py
