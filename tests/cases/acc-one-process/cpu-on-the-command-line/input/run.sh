#!/bin/bash
accelerate launch --cpu --num_processes 4 train.py
