"""The whole output of commands on a small tree, as it was last agreed on.

To agree on new output: UPDATE_SNAPSHOTS=1 pytest tests/cli/test_snapshots.py, and read the diff.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.commandline import BAD, CLEAN, cfglint, tree

SNAPSHOTS = Path(__file__).parent / "snapshots"
NODE = """\
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
machine_rank: {rank}
main_process_ip: {address}
num_machines: 2
num_processes: 16
rdzv_backend: static
"""
FILES = {
    "bad.yaml": BAD,
    "wide.yaml": CLEAN + "main_process_port: 70000  # 端口 é\n",
    "node0.yaml": NODE.format(rank=0, address="10.0.0.1"),
    "node1.yaml": NODE.format(rank=1, address="10.0.0.9"),
    "stale.yaml": CLEAN + "machine_rank: 0  # cfglint: ignore[PORT004] -- gone\n",
    "broken.yaml": "distributed_type: MULTI_GPU\nnum_machines: [1\n",
}
# The rules shown here; others may come and speak of these files, too.
RULES = ("--select", "PORT004,ADDR007,SYN002,META001", "--isolated")
COMMANDS = {
    "full": (*RULES,),
    "concise": (*RULES, "--output-format", "concise"),
    "statistics": (*RULES, "--statistics"),
    "github": (*RULES, "--output-format", "github"),
    "junit": (*RULES, "--output-format", "junit"),
    "gitlab": (*RULES, "--output-format", "gitlab"),
    "diff": ("--isolated", "--diff", "--output-format", "concise", "stale.yaml"),
    "clean": ("--isolated", "stale.yaml", "--ignore", "META"),
    "no-such-path": ("gone.yaml",),
    "no-such-rule": ("--select", "PORT-out-of-rnge"),
    "no-such-format": ("--output-format", "sarf"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_output(tmp_path: Path, name: str) -> None:
    run = cfglint(tree(tmp_path, FILES), *COMMANDS[name])
    text = f"exit {run.code}\n{run.out}"
    if run.err:
        text += f"-- stderr\n{run.err}"
    file = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def test_no_snapshot_is_left_over() -> None:
    assert {path.stem for path in SNAPSHOTS.iterdir()} == set(COMMANDS)
