#!/bin/bash
export RANK=$1
python train.py
