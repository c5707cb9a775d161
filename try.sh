#!/bin/sh
# Install cfglint into an environment of its own (.try/) and lint the shipped examples.
# PYTHON names the interpreter to use (3.10 or newer; python3 unless set).
set -eu
cd "$(dirname "$0")"
python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
    echo "try.sh: Python 3.10 or newer is needed; name one with PYTHON=python3.12 ./try.sh" >&2
    exit 2
}
rm -rf build # what an earlier build left would be installed again
"$python" -m venv --clear .try
.try/bin/python -m pip install --quiet --disable-pip-version-check .
status=0
.try/bin/cfglint examples || status=$?
# The examples are faulty on purpose: findings (exit code 1) are what should come out.
if [ "$status" -ne 1 ]; then
    echo "try.sh: cfglint ended with $status where findings were expected" >&2
    exit 1
fi
echo
echo "cfglint is installed: .try/bin/cfglint --help"
