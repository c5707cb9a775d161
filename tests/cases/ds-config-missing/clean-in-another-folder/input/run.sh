#!/bin/bash
cd sub
deepspeed train.py --deepspeed ds_zero_3.json
