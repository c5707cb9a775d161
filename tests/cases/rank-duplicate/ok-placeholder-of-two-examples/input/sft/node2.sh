NNODES=2 NODE_RANK=1 MASTER_ADDR=xxx.xxx.xxx.xxx MASTER_PORT=29500 NPROC_PER_NODE=4 \
swift sft --model org/model --output_dir out
