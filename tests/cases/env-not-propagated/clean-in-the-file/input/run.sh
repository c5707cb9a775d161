#!/bin/bash
export GLOO_SOCKET_IFNAME=eth0
deepspeed --hostfile hostfile --master_addr node-0 train.py
