docker run --rm --gpus all --ipc=host -v $PWD:/work -w /work t:1 accelerate launch --config_file conf/acc.yaml train.py
docker run --rm --gpus all --ipc=host -v "$(pwd)/conf:/cfg:ro" t:1 llamafactory-cli train /cfg/sft.yaml
