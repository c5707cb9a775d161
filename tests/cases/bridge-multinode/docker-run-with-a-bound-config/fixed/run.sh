docker run --network host --rm --gpus all --ipc=host -v $PWD/conf:/cfg t:1 accelerate launch --config_file /cfg/acc.yaml train.py
