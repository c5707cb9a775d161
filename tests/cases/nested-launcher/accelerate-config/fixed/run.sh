#!/bin/bash
accelerate launch --config_file acc.yaml -m llamafactory.launcher /c/full.yaml
