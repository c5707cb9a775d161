#!/bin/bash
torchrun --standalone --nproc_per_node=$N --max_restarts "${R:-three}" train.py
