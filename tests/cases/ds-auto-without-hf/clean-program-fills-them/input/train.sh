#!/bin/bash
deepspeed --num_gpus 4 main.py --deepspeed_config ds.json
