docker compose exec -T trainer cd /app && torchrun --standalone --nproc_per_node=2 train.py
