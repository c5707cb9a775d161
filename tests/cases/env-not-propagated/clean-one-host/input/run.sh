#!/bin/bash
export GLOO_SOCKET_IFNAME=eth0
deepspeed --hostfile hostfile train.py
