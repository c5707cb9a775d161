#!/bin/bash
bash tools/dist_train.sh configs/a.py --work-dir work/a
