"""The same command, and the same variables, in every kind of file that can start a job."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

Variables = Mapping[str, str]
Carrier = Callable[[str, Variables], dict[str, str | bytes]]


def lines(variables: Variables, form: str = "export {}={}\n") -> str:
    """The variables, one line each."""
    return "".join(form.format(name, value) for name, value in variables.items())


def script(body: str) -> dict[str, str | bytes]:
    return {"run.sh": "#!/bin/bash\n" + body + "\n"}


def batch(body: str) -> dict[str, str | bytes]:
    head = "#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=1\n#SBATCH --gres=gpu:8\n"
    return {"job.sbatch": "#!/bin/bash\n" + head + body + "\n"}


def docker(variables: Variables, command: str) -> dict[str, str | bytes]:
    given = lines(variables, "-e {}={} ")
    options = f"--rm --gpus all --ipc=host --network host {given}"
    return script(f"docker run {options}registry.local/train:1 {command}")


def image(variables: Variables, command: str) -> dict[str, str | bytes]:
    text = "FROM registry.local/torch:2\n" + lines(variables, "ENV {}={}\n")
    return {"Dockerfile": f"{text}CMD {command}\n"}


def service(variables: Variables, command: str) -> dict[str, str | bytes]:
    text = "services:\n  train:\n    image: registry.local/train:1\n"
    text += "    network_mode: host\n    ipc: host\n"
    if variables:
        text += "    environment:\n" + lines(variables, '      {}: "{}"\n')
    return {"compose.yaml": f"{text}    command: {command}\n"}


def pod(variables: Variables, command: str) -> dict[str, str | bytes]:
    text = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: train\nspec:\n  template:\n"
    text += "    spec:\n      restartPolicy: Never\n      containers:\n        - name: train\n"
    text += "          image: registry.local/train:1\n"
    if variables:
        form = '            - name: {}\n              value: "{}"\n'
        text += "          env:\n" + lines(variables, form)
    return {"job.yaml": text + command}


def notebook(*cells: str) -> dict[str, str | bytes]:
    made = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": cell.splitlines(True)}
        for cell in cells
    ]
    data = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return {"train.ipynb": json.dumps(data, indent=1) + "\n"}


def workflow(variables: Variables, command: str) -> dict[str, str | bytes]:
    text = "on: push\njobs:\n  train:\n    runs-on: [self-hosted, gpu]\n"
    if variables:
        text += "    env:\n" + lines(variables, '      {}: "{}"\n')
    text += f"    steps:\n      - run: |\n          {command}\n"
    return {".github/workflows/train.yml": text}


def split(command: str) -> str:
    return json.dumps(command.split())


# Single quotes must not stand in a command, and nothing but plain words in those that are split.
CARRIERS: dict[str, Carrier] = {
    "script": lambda c, v: script(lines(v) + c),
    "prefix": lambda c, v: script(lines(v, "{}={} ") + c),
    "function": lambda c, v: script(lines(v) + "main() {\n  " + c + '\n}\nmain "$@"'),
    "command in a variable": lambda c, v: script(lines(v) + f'CMD="{c}"\n$CMD'),
    "command in an array": lambda c, v: script(lines(v) + f'cmd=({c})\n"${{cmd[@]}}"'),
    "bash -c": lambda c, v: script(lines(v) + f"bash -c '{c}'"),
    "here-document": lambda c, v: script("bash <<'EOF'\n" + lines(v) + c + "\nEOF"),
    "env": lambda c, v: script("env " + lines(v, "{}={} ") + c),
    "ssh": lambda c, v: script("ssh node-1 '" + lines(v, "{}={} ") + c + "'"),
    "batch": lambda c, v: batch(lines(v) + "srun " + c),
    "srun bash -c": lambda c, v: batch(lines(v) + f"srun bash -c '{c}'"),
    "docker run": lambda c, v: docker(v, c),
    "docker run bash -c": lambda c, v: docker(v, f"bash -c '{c}'"),
    "image, shell form": lambda c, v: image(v, c),
    "image, exec form": lambda c, v: image(v, split(c)),
    "compose, string": lambda c, v: service(v, c),
    "compose, list": lambda c, v: service(v, split(c)),
    "compose, shell": lambda c, v: service(v, json.dumps(["bash", "-c", c])),
    "pod": lambda c, v: pod(v, f"          command: {split(c)}\n"),
    "pod, shell": lambda c, v: pod(
        v,
        f'          command: ["bash", "-c"]\n          args:\n            - |\n              {c}\n',
    ),
    "Makefile": lambda c, v: {"Makefile": lines(v) + f"train:\n\t{c}\n"},
    "justfile": lambda c, v: {"justfile": lines(v, 'export {} := "{}"\n') + f"train:\n    {c}\n"},
    "notebook, %env": lambda c, v: notebook(lines(v, "%env {}={}\n"), f"!{c}"),
    "notebook, os.environ": lambda c, v: notebook(
        "import os\n" + lines(v, 'os.environ["{}"] = "{}"\n'), f"!{c}"
    ),
    "notebook, %%bash": lambda c, v: notebook("%%bash\n" + lines(v) + c),
    "workflow": lambda c, v: workflow(v, c),
}
