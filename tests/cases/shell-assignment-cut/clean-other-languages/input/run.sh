python - <<PY
NNODES = 2
MASTER_PORT = 29500
PY
cat > notes.txt <<EOF
RANK = 0
EOF
awk 'BEGIN {
RANK = 0
}'
torchrun --standalone --nproc_per_node=2 train.py
