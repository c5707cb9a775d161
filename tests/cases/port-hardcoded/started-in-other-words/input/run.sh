#!/bin/bash
cmd="OMP_NUM_THREADS=4 torchrun --nproc_per_node=8 --master_port=21611 train.py --seed $RANDOM"
eval ${cmd}
"$PYTHON_BIN" -m torch.distributed.run --nproc_per_node 2 --master_port 21612 train.py
${VENV}/bin/torchrun --nproc_per_node 2 --master_port 21613 train.py
$PREFIX "${PROFILER[@]}" python -m torch.distributed.run --nproc_per_node 2 --master_port 21614 train.py
docker compose -f lab.yaml run --rm -e A=b trainer torchrun --nproc_per_node 2 --master_port 21615 train.py
docker-compose exec -T trainer torchrun --nproc_per_node 2 --master_port 21616 train.py
