#!/bin/bash
cat <<< "starting"
echo "
=======
>>>>>>> training
"
torchrun --standalone --nproc_per_node=8 train.py
