docker compose run --rm trainer cd /app '&&' torchrun --standalone --nproc_per_node=2 train.py
docker-compose run trainer NCCL_DEBUG=WARN torchrun --standalone --nproc_per_node=2 train.py
