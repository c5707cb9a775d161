#!/bin/bash
MASTER_PORT=${PORT:-29777} FORCE_TORCHRUN=1 llamafactory-cli train c.yaml
RDZV_ID=1 MAX_RESTARTS=3 MASTER_PORT=${PORT:-29777} FORCE_TORCHRUN=1 llamafactory-cli train c.yaml
