#!/bin/bash
llamafactory-cli train train.yaml --lora_rank 16
