python -m torchrun --standalone --nproc_per_node=2 train.py
python3 -u -m accelerate launch --num_processes 2 --main_process_port 0 train.py
python -m deepspeed --num_gpus 2 --master_port $PORT train.py
