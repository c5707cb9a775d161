for host in localhost LOCALHOST localhost4 labhost loginhost lochost2; do
    torchrun --nproc_per_node 8 --nnodes 1 --master_addr ${HEAD:-$host} --master_port $PORT check.py
done
torchrun --nproc_per_node 8 --nnodes 1 --master_addr ${HEAD:-} --master_port $PORT check.py
torchrun --nproc_per_node 8 --nnodes 1 --master_addr loginhost --master_port $PORT check.py
