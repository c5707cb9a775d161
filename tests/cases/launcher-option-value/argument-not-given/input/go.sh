#!/bin/bash
bash tools/dist_train.sh configs/a.py
