#!/bin/bash
deepspeed train.py --deepspeed_config=pipe.json --stages 2
