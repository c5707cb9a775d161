#!/bin/bash
llamafactory-cli train train.yml
