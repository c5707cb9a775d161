torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=8 --master_addr=gpu0.example.svc.cluster.local --master_port=29502 train.py
torchrun --nnodes=2 --node_rank=$1 --nproc_per_node=8 --master_addr=gpu0.example.com --master_port=29502 train.py
