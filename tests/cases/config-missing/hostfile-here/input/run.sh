deepspeed --hostfile ./hosts.txt --num_nodes 2 main.py
