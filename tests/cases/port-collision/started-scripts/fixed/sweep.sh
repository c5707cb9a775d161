#!/bin/bash
CUDA_VISIBLE_DEVICES=0,1 bash jobs/run.sh a 2 &
PORT=23457 CUDA_VISIBLE_DEVICES=2,3 bash jobs/run.sh b 2 &
wait
