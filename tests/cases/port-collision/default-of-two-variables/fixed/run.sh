torchrun --nproc_per_node 2 --master_port ${PORT_A:-29500} a.py &
torchrun --standalone --nproc_per_node 2 b.py &
wait
