#!/bin/bash
export IMAGE=registry.local/train:2
echo "more lines than the other script has"
echo "so that a place of one is no place of the other"
bash ./local.sh
