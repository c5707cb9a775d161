#!/bin/bash
export NCCL_SOCKET_IFNAME=eno1
deepspeed --ssh_port 2200 --hostfile=hostfile --master_addr=10.80.0.5 --master_port=${MASTER_PORT:-29500} train.py
