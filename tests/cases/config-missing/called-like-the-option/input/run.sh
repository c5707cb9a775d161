deepspeed --hostfile ./hostfile --num_nodes 2 main.py
