: ${PORT:=29500}
CUDA_VISIBLE_DEVICES=0 torchrun --nproc_per_node 1 --master_port $PORT a.py &
(( PORT += 1 ))
CUDA_VISIBLE_DEVICES=1 torchrun --nproc_per_node 1 --master_port $PORT b.py &
wait
