#!/bin/bash
llamafactory-cli train conf/train.yml
