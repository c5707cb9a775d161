"""CUDA_VISIBLE_DEVICES names a GPU that the container does not have.

## What it flags

An index in `CUDA_VISIBLE_DEVICES` that is not below the number of GPUs which the same file gives
the container (a request of devices, or NVIDIA's runtime with `NVIDIA_VISIBLE_DEVICES`). Privileged
containers, which have them all, are left alone. Inside a container GPUs are counted from 0, whichever of the host's they are.

## Why it fails

CUDA stops at the first index that does not exist. With `device_ids: ["2", "3"]` and
`CUDA_VISIBLE_DEVICES=2,3` the process sees no GPU at all:

    RuntimeError: No CUDA GPUs are available

## Example

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        environment: {CUDA_VISIBLE_DEVICES: "2,3"}
        command: torchrun --standalone --nproc_per_node=2 train.py
        deploy:
          resources:
            reservations:
              devices:
                - {driver: nvidia, device_ids: ["2", "3"], capabilities: [gpu]}

Repair: count from 0.

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        environment: {CUDA_VISIBLE_DEVICES: "0,1"}
        command: torchrun --standalone --nproc_per_node=2 train.py
        deploy:
          resources:
            reservations:
              devices:
                - {driver: nvidia, device_ids: ["2", "3"], capabilities: [gpu]}

## When to ignore it

When the runtime shows all GPUs in spite of the reservation (a privileged container).

## References

- CUDA programming guide, CUDA_VISIBLE_DEVICES.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Launch, Rule, repair

RULE = Rule(
    code="BOX005",
    name="gpu-hidden",
    severity=WARNING,
    summary="CUDA_VISIBLE_DEVICES names a GPU that the container does not have",
    fix="safe",
    symptoms=(r"No CUDA GPUs are available", r"invalid device ordinal"),
    cause='CUDA stops at the first index that does not exist: "No CUDA GPUs are available".',
    help="Count from 0 inside the container, or leave CUDA_VISIBLE_DEVICES out.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    box, setting = launch.container, launch.env.get("CUDA_VISIBLE_DEVICES")
    text = setting.text if setting else None
    if box is None or setting is None or not text or not box.gpus:
        return
    words = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdigit() and len(word) < 5 for word in words):
        return
    beyond = [word for word in words if int(word) >= box.gpus]
    if not beyond:
        return
    visible = ",".join(map(str, range(min(len(words), box.gpus))))
    has = "one GPU, which is" if box.gpus == 1 else f"{box.gpus} GPUs, which are"
    numbers = "0" if box.gpus == 1 else f"0 to {box.gpus - 1}"
    yield RULE.at(
        setting,
        f"the container has {has} {numbers} inside; there is no {beyond[0]}",
        fix=repair(f"count from 0: {visible}", setting.write(visible), safe=True),
    )
