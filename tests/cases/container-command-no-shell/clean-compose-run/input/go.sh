docker compose run trainer source env.sh '&&' torchrun --standalone --nproc_per_node=2 train.py
docker compose run --entrypoint "bash -c" other cd /app
docker compose run other bash -c "cd /app && torchrun --standalone --nproc_per_node=2 train.py"
docker compose run other torchrun --standalone --nproc_per_node=2 train.py NAME=x
docker compose exec other env NCCL_DEBUG=WARN torchrun --standalone --nproc_per_node=2 train.py
docker compose up -d
