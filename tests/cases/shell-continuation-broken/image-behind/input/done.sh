#!/bin/bash
docker run --rm --gpus all registry.local/train:1 nvidia-smi \ 
./after.sh
