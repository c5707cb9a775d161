#!/bin/bash
llamafactory-cli export lora.yaml
