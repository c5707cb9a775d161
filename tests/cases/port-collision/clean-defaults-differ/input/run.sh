torchrun --nproc_per_node 2 --master_port ${PORT_A:-29500} a.py &
torchrun --nproc_per_node 2 --master_port ${PORT_B:-29501} b.py &
wait
