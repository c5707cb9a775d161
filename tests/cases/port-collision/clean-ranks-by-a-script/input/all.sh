#!/bin/bash
export MASTER_ADDR=localhost MASTER_PORT=29511 WORLD_SIZE=2
bash one.sh 0 &
bash one.sh 1 &
wait
