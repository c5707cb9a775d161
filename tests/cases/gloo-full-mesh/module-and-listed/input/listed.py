import os

import torch.distributed as dist

dist.init_process_group("gloo")
everyone = [rank for rank in range(128)]
world = int(os.environ["WORLD_SIZE"])
dist.new_group(list(range(128)))
dist.new_group(ranks=everyone)
dist.new_group([*range(0, world)], backend="gloo")
