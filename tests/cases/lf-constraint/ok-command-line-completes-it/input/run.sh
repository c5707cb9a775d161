#!/bin/bash
llamafactory-cli train train.yaml max_steps=1000
