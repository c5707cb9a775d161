#!/bin/bash
export MASTER_ADDR=127.0.0.1 MASTER_PORT=29511 WORLD_SIZE=1
RANK=0 LOCAL_RANK=0 python a.py &
RANK=0 LOCAL_RANK=0 python b.py &
wait
