#!/bin/bash
deepspeed --num-gpus 8 train.py
