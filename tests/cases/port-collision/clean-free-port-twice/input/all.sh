#!/usr/bin/env bash
set -e
./one.sh --steps 10 &
./one.sh --steps 20 &
wait
