#!/bin/bash
deepspeed --num_gpus 4 --master_port ${PORT:-29500} llamafactory-cli train /c/lora.yaml
