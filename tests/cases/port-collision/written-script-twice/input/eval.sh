#!/bin/bash
cat > one.sh <<'EOF'
#!/bin/bash
torchrun --nproc_per_node 4 --master_port 29510 eval.py --ckpt $1
EOF
CUDA_VISIBLE_DEVICES=0,1,2,3 bash one.sh out/a &
CUDA_VISIBLE_DEVICES=4,5,6,7 bash one.sh out/b &
wait
