#!/bin/bash
export MASTER_PORT=29511 MASTER_ADDR=10.0.0.1 WORLD_SIZE=2 RANK=1
bash ./unseen.sh
