#!/bin/bash
set -e
# docker compose -f deploy/node.yml up is for one machine
docker compose --profile train -f deploy/node.yml \
  --file=site/cluster.yml up -d
