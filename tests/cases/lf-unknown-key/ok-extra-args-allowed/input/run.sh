#!/bin/bash
export ALLOW_EXTRA_ARGS=1
llamafactory-cli train train.yaml
