#!/bin/bash
export NCCL_SOCKET_IFNAME=eth0
deepspeed --hostfile /job/hosts --launcher openmpi --master_port 29511 train.py
