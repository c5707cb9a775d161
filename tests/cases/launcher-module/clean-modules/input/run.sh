python -m torch.distributed.run --standalone --nproc_per_node=2 train.py
python -m accelerate.commands.launch --num_processes 2 --main_process_port 0 train.py
python -m deepspeed.launcher.runner --num_gpus 2 --master_port $PORT train.py
torchrun --standalone --nproc_per_node=2 -m accelerate train.py
