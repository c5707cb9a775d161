docker compose exec -w /app -T trainer torchrun --standalone --nproc_per_node=2 train.py
