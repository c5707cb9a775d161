#!/bin/bash
envsubst < train.yaml > /tmp/full.yaml
llamafactory-cli train /tmp/full.yaml
