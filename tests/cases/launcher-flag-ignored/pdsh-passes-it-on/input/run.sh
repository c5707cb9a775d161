#!/bin/bash
export NCCL_SOCKET_IFNAME=eth0
deepspeed --hostfile /job/hosts --launcher pdsh --master_addr 10.0.0.1 --master_port 29511 train.py
