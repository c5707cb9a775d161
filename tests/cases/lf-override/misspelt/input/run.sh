#!/bin/bash
llamafactory-cli train train.yaml lora_rnk=16 output_dir=$OUT
