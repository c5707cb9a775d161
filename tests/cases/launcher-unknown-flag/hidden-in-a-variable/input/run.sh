#!/bin/bash
torchrun $ARGS --standalone --my_flag train.py
