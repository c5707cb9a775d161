#!/bin/bash
ENVS="NCCL_DEBUG=WARN OMP_NUM_THREADS=8"
cat > job.sh <<EOF
#!/bin/bash
$ENVS torchrun --standalone --nproc_per_node=2 train.py
EOF
bash job.sh
bash <<EOF
$ENVS torchrun --standalone --nproc_per_node=2 train.py
EOF
sbatch -N1 --gpus-per-node=2 --wrap "$ENVS torchrun --standalone --nproc_per_node=2 train.py"
ssh node1 "$ENVS torchrun --standalone --nproc_per_node=2 train.py"
tmux new-session -d "$ENVS torchrun --standalone --nproc_per_node=2 train.py"
run() {
    "$@"
}
run env $ENVS torchrun --standalone --nproc_per_node=2 train.py
CMD="$ENVS torchrun --standalone --nproc_per_node=2 train.py"
eval "$CMD"
