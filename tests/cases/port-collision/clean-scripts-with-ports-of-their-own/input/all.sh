#!/bin/bash
export MASTER_PORT=29511
bash a.sh &
./b.sh &
wait
