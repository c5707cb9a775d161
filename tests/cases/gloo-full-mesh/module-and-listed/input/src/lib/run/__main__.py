import torch.distributed as dist

dist.init_process_group("gloo")
for _ in range(3):
    dist.new_group(list(range(dist.get_world_size())))
