#!/bin/sh
# Install cfglint with its test tools into an environment of its own (.check/) and run the tests.
# PYTHON names the interpreter to use (3.10 or newer; python3 unless set); arguments go to pytest.
set -eu
cd "$(dirname "$0")"
python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
    echo "check.sh: Python 3.10 or newer is needed; name one with PYTHON=python3.12 ./check.sh" >&2
    exit 2
}
rm -rf build # what an earlier build left would be installed again
"$python" -m venv --clear .check
.check/bin/python -m pip install --quiet --disable-pip-version-check '.[test]'
exec .check/bin/python -m pytest "$@"
