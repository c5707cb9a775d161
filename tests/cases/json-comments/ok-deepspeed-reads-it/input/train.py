import deepspeed
import torch

model = torch.nn.Linear(8, 8)
deepspeed.initialize(args=args, model=model, model_parameters=model.parameters())
