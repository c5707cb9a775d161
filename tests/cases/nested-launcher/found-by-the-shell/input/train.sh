export NPROC_PER_NODE=8
torchrun --nproc_per_node=8 $(which swift) sft --model m
torchrun --nproc_per_node=8 $(type -P swift) sft --model m
torchrun --nproc_per_node=8 "$CONDA_PREFIX/bin/swift" sft --model m
torchrun --nproc_per_node=8 $(command -v torchrun) train.py
torchrun --nproc_per_node=8 "$BIN/torchrun" train.py
