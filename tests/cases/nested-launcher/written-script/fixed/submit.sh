#!/bin/bash
cat > run.sh <<EOF
#!/bin/bash
export NCCL_DEBUG=WARN
torchrun --nproc_per_node 8 -m llamafactory.launcher sft.yaml
EOF
chmod +x run.sh
srun ./run.sh
