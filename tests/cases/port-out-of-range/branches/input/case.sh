#!/bin/bash
case "$(hostname)" in
  gpu0*) export MASTER_PORT=29400 ;;
  gpu1*) export MASTER_PORT=29401 ;;
  *) export MASTER_PORT=99999 ;;
esac
FORCE_TORCHRUN=1 llamafactory-cli train sft.yaml
