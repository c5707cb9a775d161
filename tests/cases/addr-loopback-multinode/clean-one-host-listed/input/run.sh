deepspeed --hostfile=hostfile --master_addr localhost train.py
deepspeed --hostfile=two --include localhost:0,1 --master_addr localhost train.py
