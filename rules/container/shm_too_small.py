"""Several processes in a container with Docker's 64 MB of shared memory.

## What it flags

A container (Compose service, `docker run`, pod) in which, as the files show, more than one process
of a job runs, with neither `shm_size`/`--shm-size` nor `ipc: host` nor a mount on /dev/shm, or
with a `shm_size` of no more than the default.

## Why it fails

NCCL's shared-memory transport and PyTorch's DataLoader workers put their buffers into /dev/shm,
which has 64 MB in a container. With several GPUs that is soon full:

    Error while creating shared memory segment /dev/shm/nccl-XXXXXX (size 9637888)
    RuntimeError: DataLoader worker (pid 123) is killed by signal: Bus error.
    posix_fallocate failed: No space left on device

## Example

    services:
      trainer:
        image: registry.local/train:1
        command: torchrun --standalone --nproc_per_node=8 train.py

Repair: give it memory, or the host's (`ipc: host`).

    services:
      trainer:
        image: registry.local/train:1
        shm_size: 16gb
        command: torchrun --standalone --nproc_per_node=8 train.py

## When to ignore it

When the processes share nothing: Gloo over sockets, no DataLoader workers.

## References

- NCCL's troubleshooting: shared memory. Docker: `--shm-size`, `--ipc`.
"""

import re
from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import (
    WARNING,
    Container,
    Finding,
    Launch,
    Rule,
    default_int,
    default_literal,
    repair,
)

RULE = Rule(
    code="BOX001",
    name="shm-too-small",
    severity=WARNING,
    summary="several processes in a container with 64 MB of shared memory",
    fix="unsafe",
    yields_to=("BOX002",),
    symptoms=(
        r"Error while creating shared memory segment",
        r"killed by signal: Bus error",
        r"posix_fallocate failed: No space left on device",
        r"/dev/shm.*No space left on device",
    ),
    cause=(
        "/dev/shm has 64 MB there; NCCL and DataLoader workers die with"
        ' "Error while creating shared memory segment" or a bus error.'
    ),
    help="Set shm_size: 16gb or ipc: host (docker run: --shm-size=16g or --ipc=host).",
)
_DEFAULT = 64 * 1024 * 1024
_UNITS = {"": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    box = launch.container
    if box is None or not box.complete:
        return
    count = _processes(launch)
    if count is None or count < 2 or _has_memory(box):
        return
    edits = box.set_option("shm_size", "16gb") if box.set_option else None
    yield RULE.finding(
        launch.document,
        box.shm_size.span if box.shm_size else box.span,
        f"{count} processes share the container's 64 MB of /dev/shm",
        fix=repair("give it 16 GB of shared memory", edits),
    )


def _processes(launch: Launch) -> int | None:
    """How many processes of the job run in the container, as far as the files show."""
    gpus = launch.container.gpus if launch.container else None
    per_node = launch.get("nproc_per_node")
    if per_node is not None:
        return gpus if per_node.text in ("gpu", "auto") else default_int(per_node.value)
    total = launch.get("num_processes")
    machines = launch.machines()
    if total is not None and machines:
        count = default_int(total.value)
        return count // machines if count else None
    given = launch.get("num_gpus")
    if given is not None:
        return given.number
    # These start one process for each GPU unless they are told otherwise.
    return gpus if launch.launcher in ("llamafactory", "deepspeed") else None


def _has_memory(box: Container) -> bool:
    """Whether /dev/shm is, or may be, larger than the default."""
    if box.shm_mount or box.build_shm_size is not None:
        return True
    if box.ipc is not None:
        mode = default_literal(box.ipc.value)
        if mode not in ("private", "none"):
            return True
    if box.shm_size is None:
        return False
    size = _bytes(default_literal(box.shm_size.value))
    return size is None or size > _DEFAULT


def _bytes(text: str | None) -> int | None:
    match = re.fullmatch(r"\s*(\d+)\s*([bkmgt]?)i?b?\s*", (text or "").lower())
    return int(match[1]) * _UNITS[match[2]] if match else None
