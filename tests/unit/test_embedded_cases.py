"""What a rule says of a script, it says wherever that script stands.

The scripts of all cases, those with faults and the clean ones, are put into a function, a
here-document, a recipe, a cell, a step, a container: as many findings are there as in the script.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cfglint.record import replace
from cfglint.registry import lookup
from tests.lintcases import Case, all_cases, session

Files = dict[str, str]


def _script(head: str, tail: str) -> Callable[[str, str], Files]:
    return lambda name, body: {name: f"#!/bin/bash\n{head}\n{body}{tail}\n"}


def _indented(body: str, by: str) -> str:
    return "".join(by + line if line.strip() else line for line in body.splitlines(keepends=True))


def _notebook(name: str, body: str) -> Files:
    source = ("%%bash\n" + body).splitlines(keepends=True)
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": source}
    data = {"cells": [cell], "metadata": {}, "nbformat": 4}
    return {"run.ipynb": json.dumps(data, ensure_ascii=False)}


def _workflow(name: str, body: str) -> Files:
    head = (
        "on: push\njobs:\n  train:\n    runs-on: [self-hosted, gpu]\n    steps:\n      - run: |\n"
    )
    return {".github/workflows/train.yml": head + _indented(body, " " * 10)}


def _pod(name: str, body: str) -> Files:
    head = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: train\nspec:\n  hostNetwork: true\n"
    head += "  volumes:\n    - name: shm\n      emptyDir:\n        medium: Memory\n"
    head += "  containers:\n    - name: train\n      image: registry.local/train:1\n"
    head += "      volumeMounts:\n        - name: shm\n          mountPath: /dev/shm\n"
    return {"pod.yaml": f"{head}      command:\n        - bash\n        - -c\n        - |\n"
            + _indented(body, " " * 10)}  # fmt: skip


def _compose(name: str, body: str) -> Files:
    head = "services:\n  train:\n    image: registry.local/train:1\n    network_mode: host\n"
    head += "    ipc: host\n    command:\n      - bash\n      - -c\n      - |\n"
    return {"compose.yaml": head + _indented(body.replace("$", "$$"), " " * 8)}


def _make(name: str, body: str) -> Files:
    head = "SHELL := /bin/bash\n.ONESHELL:\ntrain:\n"
    lines = body.replace("$", "$$").splitlines(keepends=True)
    return {"Makefile": head + "".join("\t" + line for line in lines)}


def _just(name: str, body: str) -> Files:
    return {"justfile": "train:\n    #!/usr/bin/env bash\n" + _indented(body, "    ")}


# Single quotes in the script would end those around it.
QUOTED = ("bash -c", "docker run")
CARRIERS: dict[str, Callable[[str, str], Files]] = {
    "function": _script("main() {", '}\nmain "$@"'),
    "branch": _script('case "$1" in\n  train)', "    ;;\nesac"),
    "subshell": _script("(", ") 2>&1 | tee log.txt"),
    "here-document": _script("bash <<'END_OF_IT'", "END_OF_IT"),
    "bash -c": _script("timeout 2h bash -c '", "'"),
    "docker run": _script("docker run --gpus all --ipc host --network host train:1 bash -c '", "'"),
    "workflow": _workflow,
    "notebook": _notebook,
    "makefile": _make,
    "justfile": _just,
    "pod": _pod,
    "compose": _compose,
}
# The files that are there are not those that the job sees, or other files may add to it.
_ELSEWHERE = {"config-missing", "ds-config-missing"}
_CONTAINER = {*_ELSEWHERE, "acc-missing-key", "launcher-no-program", "memlock-missing"}
_ONE_RUNNER = {"rdzv-endpoint-per-node", "rdzv-id-not-shared", "port-per-node"}
# Rules that say less there, and why they may.
LESS: dict[str, set[str]] = {
    "docker run": _CONTAINER,
    # a step runs once, on one machine; those that dial others are seen
    "workflow": {*_ELSEWHERE, *_ONE_RUNNER, "ssh-port-mismatch"},
    "notebook": {*_ELSEWHERE, "acc-missing-key"},
    # recipes share what is exported with the programs of others
    "makefile": {"launcher-ignores-env"},
    "justfile": {"launcher-ignores-env"},
    # pods have a network, ranks and a master of their own
    "pod": {*_CONTAINER, *_ONE_RUNNER, "port-hardcoded", "rank-out-of-range",
            "addr-loopback-multinode"},
    "compose": _CONTAINER,
}  # fmt: skip
# Only texts that a file itself gives to a shell are looked through for quotes that stay open.
for _carrier in ("here-document", "bash -c", "docker run", "pod", "compose"):
    LESS[_carrier] = {*LESS.get(_carrier, ()), "shell-unclosed-quote"}
# Git writes its markers at the margin.
for _carrier in CARRIERS:
    LESS[_carrier] = {*LESS.get(_carrier, ()), "merge-conflict"}
# `sbatch --wrap` is looked into where it is submitted, and no deeper.
DEEP = {"slurm-first-node-only"}


def _scripts() -> list[tuple[Case, str, str]]:
    """The cases of one script that no other file of the case names, with its name and text."""
    found = []
    for case in all_cases():
        files = [path for path in (case.path / "input").rglob("*") if path.is_file()]
        scripts = [path for path in files if path.suffix == ".sh"]
        if len(scripts) != 1 or scripts[0].parent.name != "input":
            continue
        data = scripts[0].read_bytes()
        text = data.decode("utf-8", "replace")
        others = (path.read_text(errors="replace") for path in files if path != scripts[0])
        plain = b"\r" not in data and text.endswith("\n") and "#SBATCH" not in text
        if (
            plain
            and text.encode() == data
            and not any(scripts[0].name in other for other in others)
        ):
            found.append((case, scripts[0].name, text))
    return found


def _count(case: Case, tree: Path, name: str, files: Files) -> int:
    shutil.copytree(case.path / "input", tree)
    (tree / name).unlink()
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    one = session(tree)
    one.settings = replace(one.settings, select=(case.rule,))
    result = one.lint()
    assert not result.crashed, case.path
    shutil.rmtree(tree)
    return sum(1 for finding in result.findings if finding.rule.name == case.rule)


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Case, str, str, int]]:
    """Each case with what its rule finds in the script itself."""
    folder = tmp_path_factory.mktemp("scripts")
    found = []
    for case, name, text in _scripts():
        found.append((case, name, text, _count(case, folder / "tree", name, {name: text})))
    return found


@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_script_is_judged_alike_wherever_it_stands(
    tmp_path: Path, counted: list[tuple[Case, str, str, int]], carrier: str
) -> None:
    wrong = []
    for case, name, text, expected in counted:
        files = CARRIERS[carrier](name, re.sub(r"\A#!.*\n", "", text))
        taken = any((case.path / "input" / path).exists() for path in files if path != name)
        if taken or (carrier in QUOTED and "'" in text):
            continue
        found = _count(case, tmp_path / "tree", name, files)
        less = case.rule in LESS.get(carrier, ()) or (case.rule in DEEP and carrier in QUOTED)
        if found > expected or (found < expected and not less):
            wrong.append(f"{case.rule}/{case.path.name}: {found} of {expected}")
    assert len(counted) > 400
    assert wrong == []


def test_the_exceptions_are_rules() -> None:
    names = {name for names in LESS.values() for name in names} | DEEP
    assert all(lookup(name) is not None for name in names)
