import deepspeed

engine, *_ = deepspeed.initialize(args=args, model=model)
