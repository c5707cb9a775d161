#!/bin/bash
for lr in 1e-4 2e-4; do
  JOB=$(sbatch --parsable --job-name "sft-$lr" <<EOF
#!/bin/bash
#SBATCH --nodes=1
#SBATCH --gpus-per-node=8
torchrun --standalone --nproc_per_node 8 train.py --lr $lr
torchrun --nproc_per_node 8 --master_port 99999 eval.py
EOF
)
  echo "$JOB"
done
