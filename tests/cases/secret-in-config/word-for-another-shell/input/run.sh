ssh gpu1 'wandb login 5d4c3b2a19087f6e5d4c3b2a19087f6e5d4c3b2a'
torchrun --standalone --nproc_per_node=2 train.py
