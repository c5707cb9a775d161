import torch.distributed as dist


def groups(count):
    for _ in range(4):
        dist.new_group(list(range(count)))


dist.init_process_group("gloo")
for _ in range(4):
    dist.new_group(list(range(128)), backend="nccl")
world = 128
world = 8
dist.new_group(list(range(world)))
dist.new_group(list(range(world)))
groups(4)
