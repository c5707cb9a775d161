#!/bin/bash
deepspeed --include localhost:4,5 train.py
