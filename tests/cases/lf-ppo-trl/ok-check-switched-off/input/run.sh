#!/bin/bash
export DISABLE_VERSION_CHECK=1
llamafactory-cli train ppo.yaml
