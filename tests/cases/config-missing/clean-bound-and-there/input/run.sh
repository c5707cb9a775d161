docker run --rm --gpus all --ipc=host -v ./conf:/cfg t:1 accelerate launch --config_file /cfg/acc.yaml train.py
