"""Shared memory given to the build of an image but not to the container that trains.

## What it flags

`shm_size` under `build:` of a Compose service, and none on the service (nor `ipc`, nor a mount on
/dev/shm).

## Why it fails

`build.shm_size` holds while the image is built. The container that runs still has 64 MB:

    Error while creating shared memory segment /dev/shm/nccl-XXXXXX (size 9637888)
    RuntimeError: DataLoader worker (pid 123) is killed by signal: Bus error.

## Example

    services:
      trainer:
        build:
          context: .
          shm_size: 16gb
        command: torchrun --standalone --nproc_per_node=4 train.py

Repair: set it on the service as well.

    services:
      trainer:
        build:
          context: .
          shm_size: 16gb
        shm_size: 16gb
        command: torchrun --standalone --nproc_per_node=4 train.py

## When to ignore it

When only the build needs the memory.

## References

- Compose specification: build, `shm_size`.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Launch, Rule, literal, repair

RULE = Rule(
    code="BOX002",
    name="shm-in-build-only",
    severity=WARNING,
    summary="shm_size under build, where it does not reach the running container",
    fix="safe",
    symptoms=(r"Error while creating shared memory segment", r"killed by signal: Bus error"),
    cause="It holds while the image is built; the container that trains has 64 MB of /dev/shm.",
    help="Set shm_size on the service as well.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    box = launch.container
    size = box.build_shm_size if box else None
    if box is None or size is None or box.shm_size or box.ipc or box.shm_mount:
        return
    text = literal(size.value)
    edits = box.set_option("shm_size", text) if box.set_option and text else None
    yield RULE.at(
        size,
        f"shm_size under build does not reach the running container of {box.name}",
        fix=repair("set it on the service as well", edits, safe=True),
        no_fix="" if edits else "its value is not a plain one",
    )
