export MASTER_PORT=29500
CUDA_VISIBLE_DEVICES=0,1 llamafactory-cli train a.yaml &
CUDA_VISIBLE_DEVICES=2,3 llamafactory-cli train b.yaml &
wait
