#!/bin/bash
for h in a b; do
ssh $h <<'EOF' &
NCCL_SOCKET_IFNAME=eth0 torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=9 --rdzv_endpoint=$(hostname):29400 train.py
EOF
done
wait
