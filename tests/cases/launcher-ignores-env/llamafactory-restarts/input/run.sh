#!/bin/bash
MAX_RESTARTS=3 FORCE_TORCHRUN=1 llamafactory-cli train /data/c.yaml
