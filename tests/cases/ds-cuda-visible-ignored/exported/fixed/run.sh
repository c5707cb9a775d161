#!/bin/bash
deepspeed --include localhost:2,3 train.py --deepspeed ds.json
