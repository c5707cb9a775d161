#!/bin/bash
torchrun --standalone --nproc_per_node=2 train.py \
    --epochs 3 \

python eval.py --epoch 3 \

./collect.py --all
ARGS=(
    --a \

    --b
)
python show.py "${ARGS[@]}"
