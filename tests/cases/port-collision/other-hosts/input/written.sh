#!/bin/bash
for host in gpu0 gpu1; do
  cat > eval_$host.sh <<EOF
torchrun --nproc_per_node 8 --master_port 29510 eval.py --host $host
EOF
  scp eval_$host.sh $host:
  ssh $host bash eval_$host.sh &
done
wait
