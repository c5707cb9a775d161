export CUDA_VISIBLE_DEVICES=0,1
bash run.sh 4
