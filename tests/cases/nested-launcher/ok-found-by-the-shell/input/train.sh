export NPROC_PER_NODE=8
$(which torchrun) --nproc_per_node=8 train.py
torchrun --nproc_per_node=8 "$CODE/swift" convert
torchrun --nproc_per_node=8 "$DIR/torchrun/train.py"
torchrun --nproc_per_node=8 "$(which python)-launch" sft
$(which swift) sft --model m
