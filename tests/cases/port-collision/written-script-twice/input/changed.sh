#!/bin/bash
cat > one.sh <<'EOF'
#!/bin/bash
torchrun --nproc_per_node 4 --master_port 29510 eval.py --ckpt $1
EOF
bash one.sh out/a &
sed -i s/29510/29511/ one.sh
bash one.sh out/b &
wait
