torchrun --help
deepspeed --help --no_such
python -m torch.distributed.run --help
accelerate launch --help
