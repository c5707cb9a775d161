#!/bin/bash
deepspeed --num_gpus 1 chat.py --deepspeed ds_chat.json --model_name_or_path org/model
