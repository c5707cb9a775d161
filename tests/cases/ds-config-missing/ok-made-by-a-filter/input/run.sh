#!/bin/bash
NAME=prune_heads
template=config/base.json.in
out="config/ds_${NAME}.json"

sed "s/RATIO/0.6/" ${template} \
    | sed "s/BITS/8/" \
      > ${out}

CONF=${out}
torchrun --standalone --nproc_per_node=1 glue.py --deepspeed --deepspeed_config ${CONF}
