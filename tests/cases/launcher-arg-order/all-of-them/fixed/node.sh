gpus=4
export NCCL_SOCKET_IFNAME=eno1
python -m torch.distributed.launch --nproc_per_node=$gpus --nnodes=2 --node_rank=$1 --master_addr="10.4.0.1" --master_port=23456 run_lm.py \
    --model gpt2
