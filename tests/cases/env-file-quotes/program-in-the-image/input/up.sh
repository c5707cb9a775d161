#!/bin/bash
docker run -d --gpus all --network host --ipc host --env-file node.env registry.local/train:1
