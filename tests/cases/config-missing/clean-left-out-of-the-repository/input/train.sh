#!/bin/bash
# everybody keeps a list of machines of their own
deepspeed --hostfile sites/hosts.txt train.py
