#!/usr/bin/env bash
# Build the environment that the oracle tests of one package run the real software in.
#
#     tests/oracle/environment.sh accelerate
#     python -m pytest -m oracle tests/oracle/test_accelerate.py
#
# It lies in $CFGLINT_ORACLES (default ~/.cache/cfglint-oracles), never in the project: torch and
# the packages take about 1.5 GB. No GPU is needed.
set -euo pipefail
package=${1:?usage: environment.sh accelerate|deepspeed|llamafactory}
folder=${CFGLINT_ORACLES:-$HOME/.cache/cfglint-oracles}/$package
python3 -m venv "$folder"
pip() { "$folder/bin/python" -m pip install --quiet "$@"; }

case $package in
  accelerate)
    pip torch==2.13.0
    pip accelerate==1.15.0 "transformers>=4.56" setuptools wheel ninja py-cpuinfo hjson msgpack einops pydantic
    DS_BUILD_OPS=0 DS_ACCELERATOR=cpu pip --no-build-isolation deepspeed==0.18.2
    ;;
  *)
    echo "environment.sh: no environment for $package" >&2
    exit 2
    ;;
esac
echo "$folder/bin/python"
