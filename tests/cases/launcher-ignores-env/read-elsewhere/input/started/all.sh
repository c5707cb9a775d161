#!/bin/bash
export MASTER_PORT=25500
bash warm_up.sh
bash real.sh
