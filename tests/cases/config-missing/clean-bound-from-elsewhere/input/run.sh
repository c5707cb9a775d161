docker run --rm --gpus all --ipc=host -v /srv/conf:/cfg t:1 accelerate launch --config_file /cfg/acc.yaml train.py
docker run --rm --gpus all --ipc=host -v $CONF:/cfg2 -v $PWD:/work -w /work t:1 llamafactory-cli train /cfg2/sft.yaml
docker run --rm --gpus all --ipc=host -v $PWD:/work t:1 accelerate launch --config_file conf/a.yaml train.py
docker run --rm --gpus all --ipc=host -v $PWD:/work -w /opt/job t:1 accelerate launch --config_file conf/b.yaml train.py
docker run --rm --gpus all --ipc=host -v $PWD:/work -w /work t:1 bash -c "cd sub && accelerate launch --config_file conf/c.yaml train.py"
