import torch.distributed as dist

dist.init_process_group("gloo")
size = 64
for _ in range(4):
    dist.new_group(list(range(64)))
    dist.new_group(list(range(size, 128)))
    dist.new_group([rank for rank in range(128) if rank % 2])
