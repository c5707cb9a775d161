for i in 0 1; do
ssh node$i <<EOF &
torchrun --nnodes 2 --nproc_per_node 8 --node_rank $i --master_addr localhost --master_port 29511 train.py
EOF
done
wait
