"""A secret is taken from where the shell that reads it finds it, or left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.running import as_json, cfglint, write

KEY = "".join(f"{n:x}" for n in range(16)) * 2 + "01234567"
SET = f"export WANDB_API_KEY={KEY}"
TAKEN = 'export WANDB_API_KEY="${WANDB_API_KEY:?}"'
COMMAND = "torchrun --standalone --nproc_per_node=2 train.py"
DOCKER = "docker run --rm --gpus all --ipc=host"


def repaired(folder: Path, name: str, text: str) -> str | None:
    """The file after the repair, None where there is none."""
    write(folder, {"train.py": "", name: text})
    run = as_json(folder, "--isolated", "--select", "SEC001", ".")
    assert {finding["code"] for finding in run.data["findings"]} == {"SEC001"}
    options = ("--isolated", "--select", "SEC001", "--fix", "--unsafe-fixes", "-q", ".")
    left = cfglint(folder, *options).code
    after = (folder / name).read_text()
    assert (after == text) == bool(left)
    return None if left else after


@pytest.mark.parametrize(
    ("line", "after"),
    [
        (f"{SET}; {COMMAND}", f"{TAKEN}; {COMMAND}"),
        (f"bash -c '{SET}; {COMMAND}'", f"bash -c '{TAKEN}; {COMMAND}'"),
        (f"srun -N1 bash -c '{SET}; {COMMAND}'", f"srun -N1 bash -c '{TAKEN}; {COMMAND}'"),
        (f"apptainer exec x.sif bash -c '{SET}; {COMMAND}'",
         f"apptainer exec x.sif bash -c '{TAKEN}; {COMMAND}'"),
        (f"{DOCKER} -e WANDB_API_KEY={KEY} img {COMMAND}",
         f'{DOCKER} -e WANDB_API_KEY="${{WANDB_API_KEY:?}}" img {COMMAND}'),
        (f"{DOCKER} img env WANDB_API_KEY={KEY} {COMMAND}",
         f'{DOCKER} img env WANDB_API_KEY="${{WANDB_API_KEY:?}}" {COMMAND}'),
        (f"{DOCKER} img bash -c '{SET}; {COMMAND}'",
         f"{DOCKER.replace('run', 'run -e WANDB_API_KEY')} img bash -c '{TAKEN}; {COMMAND}'"),
        (f"{SET}\n{DOCKER} -e WANDB_API_KEY img {COMMAND}",
         f"{TAKEN}\n{DOCKER} -e WANDB_API_KEY img {COMMAND}"),
        (f"bash -c '{SET}; {DOCKER} -e WANDB_API_KEY img {COMMAND}'",
         f"bash -c '{TAKEN}; {DOCKER} -e WANDB_API_KEY img {COMMAND}'"),
        (f"sudo {DOCKER} img bash -c '{SET}; {COMMAND}'", None),
        (f"docker exec trainer bash -c '{SET}; {COMMAND}'", None),
        (f"apptainer exec --cleanenv x.sif bash -c '{SET}; {COMMAND}'", None),
        (f"ssh node1 '{SET}; {COMMAND}'", None),
        (f"ssh node1 <<'EOF'\n{SET}\n{COMMAND}\nEOF", None),
        (f"ssh node1 \"{DOCKER} img bash -c '{SET}; {COMMAND}'\"", None),
        (f'export ARGS="--key {KEY}" WANDB_API_KEY="as-{KEY} x"\n{COMMAND}', None),
    ],
)  # fmt: skip
def test_what_no_shell_hands_over_is_passed_in_or_left(
    tmp_path: Path, line: str, after: str | None
) -> None:
    found = repaired(tmp_path, "run.sh", f"#!/bin/bash\n{line}\n")
    assert found == (None if after is None else f"#!/bin/bash\n{after}\n")


WORKFLOW = """\
on: push
env:
  HF_TOKEN: {}
jobs:
  train:
    runs-on: gpu
    steps:
      - run: torchrun --standalone --nproc_per_node=2 train.py
      - env: {{WANDB_API_KEY: {}}}
        run: python report.py
"""


def test_steps_take_secrets_from_the_repository(tmp_path: Path) -> None:
    after = repaired(tmp_path, ".github/workflows/t.yml", WORKFLOW.format(f"'hf_{KEY}'", KEY))
    names = ("'${{ secrets.HF_TOKEN }}'", '"${{ secrets.WANDB_API_KEY }}"')
    assert after == WORKFLOW.format(*names)


POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: train
spec:
  containers:
    - name: train
      image: registry.local/train:1
      env:
        - {}
        - name: MASTER_PORT
          value: "0"
      command: ["torchrun", "--standalone", "--nproc_per_node=2", "train.py"]
"""
BLOCK = """name: WANDB_API_KEY
          valueFrom:
            secretKeyRef:
              name: {}
              key: WANDB_API_KEY  # mine"""
OTHER = "name: HF_TOKEN\n          valueFrom: {secretKeyRef: {name: hub, key: token}}\n        - "


@pytest.mark.parametrize(
    ("item", "after"),
    [
        (f"name: WANDB_API_KEY\n          value: {KEY}  # mine", BLOCK.format("wandb-api-key")),
        (f"{OTHER}name: WANDB_API_KEY\n          value: '{KEY}'  # mine",
         OTHER + BLOCK.format("hub")),
        (f'{{name: WANDB_API_KEY, value: "{KEY}"}}',
         "{name: WANDB_API_KEY, valueFrom: "
         "{secretKeyRef: {name: wandb-api-key, key: WANDB_API_KEY}}}"),
        (f"name: ARGS\n          value: --token hf_{KEY}", None),
    ],
)  # fmt: skip
def test_pods_take_them_from_a_secret(tmp_path: Path, item: str, after: str | None) -> None:
    found = repaired(tmp_path, "pod.yaml", POD.format(item))
    assert found == (None if after is None else POD.format(after))


def test_a_script_in_a_pod_is_left(tmp_path: Path) -> None:
    command = f'["bash", "-c", "{SET}; {COMMAND}"]'
    text = POD.format("name: A\n          value: b").split("      command:")[0]
    assert repaired(tmp_path, "pod.yaml", f"{text}      command: {command}\n") is None
