export CUDA_VISIBLE_DEVICES=0
NGPU=1 bash run.sh
