#!/bin/bash
export NCCL_SOCKET_IFNAME=ens5
accelerate launch --config_file acc.yaml --machine_rank "$1" train.py
