#!/bin/bash
llamafactory-cli train train.yaml lora_rank=16 max_steps=3
