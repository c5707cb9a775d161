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
    for release in 0.34.2 1.7.0 1.10.1; do # put in front of these by PYTHONPATH
      pip --no-deps --target "$folder/overlays/$release" accelerate==$release
    done
    ;;
  deepspeed)
    pip torch==2.13.0
    pip setuptools wheel numpy packaging ninja py-cpuinfo psutil hjson msgpack einops tqdm pydantic
    DS_BUILD_OPS=0 DS_ACCELERATOR=cpu pip --no-build-isolation deepspeed==0.19.8
    ;;
  llamafactory)
    pip torch==2.13.0
    pip --no-deps llamafactory==0.9.5
    pip transformers==5.6.0 accelerate==1.11.0 peft==0.18.1 trl==0.24.0 datasets==4.0.0 omegaconf \
      matplotlib setuptools wheel ninja py-cpuinfo hjson msgpack einops pydantic
    DS_BUILD_OPS=0 DS_ACCELERATOR=cpu pip --no-build-isolation deepspeed==0.18.4
    # other releases lie in front of these, by PYTHONPATH
    pip --no-deps --target "$folder/overlays/0.9.4-4.57.6" llamafactory==0.9.4 \
      transformers==4.57.6 huggingface_hub==0.36.0 tokenizers==0.22.2 peft==0.17.1 trl==0.24.0
    pip --no-deps --target "$folder/overlays/0.9.3-4.52.4" llamafactory==0.9.3 \
      transformers==4.52.4 huggingface_hub==0.33.0 tokenizers==0.21.1 peft==0.15.2 trl==0.9.6 \
      accelerate==1.7.0 tyro==0.8.14 shtab docstring-parser
    ;;
  *)
    echo "environment.sh: no environment for $package" >&2
    exit 2
    ;;
esac
echo "$folder/bin/python"
