#!/bin/bash
for i in 0 1; do
  docker run -d --network host --ipc host -e MASTER_ADDR=127.0.0.1 -e MASTER_PORT=29511 -e WORLD_SIZE=2 -e RANK=$i lab
done
