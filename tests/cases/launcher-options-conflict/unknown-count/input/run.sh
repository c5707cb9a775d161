#!/bin/bash
accelerate launch --multi_gpu --num_processes $N -m pkg.train
