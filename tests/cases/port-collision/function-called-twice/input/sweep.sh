#!/bin/bash
evaluate() {
  CUDA_VISIBLE_DEVICES=$3 torchrun --nproc_per_node 4 --master_port $2 eval.py --ckpt $1
}
evaluate out/step-1000 29510 0,1,2,3 &
evaluate out/step-2000 29510 4,5,6,7 &
wait
