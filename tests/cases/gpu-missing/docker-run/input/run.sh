#!/bin/bash
docker run --rm --ipc host train:1 llamafactory-cli train sft.yaml
