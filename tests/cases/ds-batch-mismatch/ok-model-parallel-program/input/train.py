import deepspeed

deepspeed.initialize(args=args, model=model, mpu=mpu)
