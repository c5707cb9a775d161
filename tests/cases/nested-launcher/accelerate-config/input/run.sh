#!/bin/bash
accelerate launch --config_file acc.yaml -m llamafactory.cli train /c/full.yaml
