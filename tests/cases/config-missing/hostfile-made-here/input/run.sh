for h in a b; do echo "$h slots=8"; done > hostfile
deepspeed --hostfile hostfile --num_nodes 2 main.py
