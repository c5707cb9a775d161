#!/bin/bash
echo "<<<<<<< nothing"
cat <<EOF
<<<<<<< the marks that git leaves begin so
EOF
torchrun --standalone --nproc_per_node=8 train.py
