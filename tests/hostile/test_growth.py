"""What a run does grows with its input, not with the square of it.

Calls are counted, since seconds depend on the machine: four times the input makes four times the
calls, and sixteen times where each of its parts is held against each other one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cfglint.files import discovery
from cfglint.fixing.fixer import fix
from cfglint.session import Session
from cfglint.settings import Settings
from tests.running import inside

SMALL, LARGE = 30, 120
LIMIT = 4.4  # times the calls for four times the input
# Where each of a job's nodes is asked about its peers, at a call for each.
LIMITS = {"manifests": 6.0, "node files": 6.0}

Files = dict[str, str]
RUN = "torchrun --nproc_per_node=2 --master_port="


def script(line: Callable[[int], str]) -> Callable[[int], Files]:
    return lambda count: {"run.sh": "#!/bin/bash\n" + "".join(map(line, range(count)))}


def notebook(count: int) -> Files:
    lines = [
        [f"%env MASTER_PORT={20000 + i}\n", "!torchrun --nproc_per_node=2 train.py\n"]
        for i in range(count)
    ]
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in lines
    ]
    return {
        "a.ipynb": json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    }


def compose(count: int) -> Files:
    run = (
        f"torchrun --nnodes={count} --node_rank={{0}} --master_addr=s0 --master_port=29500 train.py"
    )
    service = f"  s{{0}}:\n    image: a\n    ports: ['{{1}}:29500']\n    command: {run}\n"
    return {
        "compose.yaml": "services:\n" + "".join(service.format(i, 20000 + i) for i in range(count))
    }


def manifests(count: int) -> Files:
    service = "apiVersion: v1\nkind: Service\nmetadata: {{name: s{0}}}\nspec: {{selector: {{app: a{0}}}}}\n---\n"
    pods = (
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {{name: j{0}}}\nspec:\n  serviceName: s{0}\n"
        "  replicas: 2\n  template:\n    metadata: {{labels: {{app: a{0}}}}}\n    spec:\n      containers:\n"
        "      - name: c\n        image: a\n        command: [torchrun, --nnodes=2, --master_addr=s{0}, train.py]\n"
    )
    return {"jobs.yaml": "---\n".join((service + pods).format(i) for i in range(count))}


def node_files(count: int) -> Files:
    text = (
        "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_machines: {0}\n"
        "machine_rank: {1}\nmain_process_ip: 10.0.0.1\nmain_process_port: 29500\nnum_processes: {2}\n"
    )
    return {f"node{i}.yaml": text.format(count, i, 8 * count) for i in range(count)}


def wanting(count: int) -> Files:
    line = (
        "srun "
        + RUN
        + "29500 --nnodes=2 --rdzv_backend=c10d --rdzv_endpoint=$MASTER_ADDR:29500 train.py\n"
    )
    head = "#!/bin/bash\n#SBATCH --nodes=2\nMASTER_ADDR=$(scontrol show hostnames | head -n 1)\n"
    return {"job.sbatch": head + line * count}


HERE = "cat > c{0}.sh <<EOF\n" + RUN + "{1} train.py\nEOF\nbash c{0}.sh\n"
INPUTS: dict[str, Callable[[int], Files]] = {
    "one port, side by side": script(lambda i: f"{RUN}29500 train.py {i} &\n"),
    "five ports, side by side": script(lambda i: f"{RUN}{29500 + i % 5} train.py {i} &\n"),
    "one after the other": script(lambda i: f"{RUN}29500 train.py {i}\n"),
    "in branches": script(lambda i: f'if [ "$1" = {i} ]; then\n{RUN}29500 train.py\nfi\n'),
    "a variable for each": script(lambda i: f"export MASTER_PORT={20000 + i}\n{RUN}$MASTER_PORT train.py\n"),
    "detached containers": script(lambda i: f"docker run -d --network host image {RUN}29500 train.py\n"),
    "written scripts": script(lambda i: HERE.format(i, 20000 + i)),
    "one wish of all": wanting,
    "cells": notebook,
    "services": compose,
    "manifests": manifests,
    "node files": node_files,
}  # fmt: skip


def calls(folder: Path, files: Files, *, repair: bool) -> int:
    """How many functions a run over these files calls."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    count = 0

    def step(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += 1

    with inside(folder):
        session = Session(Settings(), list(discovery.find([Path()])), folder, folder)
        before = sys.getprofile()
        sys.setprofile(step)
        try:
            result = session.lint()
            if repair:
                fix(result, session.lint, unsafe=True)
        finally:
            sys.setprofile(before)
    assert result.findings
    return count


@pytest.mark.parametrize("name", INPUTS)
def test_linting(tmp_path: Path, name: str) -> None:
    make = INPUTS[name]
    calls(tmp_path / "first", make(3), repair=False)  # what is imported and compiled once
    small = calls(tmp_path / "small", make(SMALL), repair=False)
    assert calls(tmp_path / "large", make(LARGE), repair=False) < LIMITS.get(name, LIMIT) * small


@pytest.mark.parametrize("name", ["five ports, side by side", "a variable for each", "cells"])
def test_repairing(tmp_path: Path, name: str) -> None:
    make = INPUTS[name]
    calls(tmp_path / "first", make(3), repair=True)
    small = calls(tmp_path / "small", make(SMALL), repair=True)
    assert calls(tmp_path / "large", make(LARGE), repair=True) < LIMIT * small
