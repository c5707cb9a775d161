accelerate launch --num_processes 2 NCCL_IB_HCA=mlx5 OMP_NUM_THREADS=4 train.py
deepspeed --num_gpus 2 MODEL=$MODEL train.py
