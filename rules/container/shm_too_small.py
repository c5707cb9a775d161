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

Repair: give it memory, or the host's (`ipc: host`); in a pod an `emptyDir` with `medium: Memory`
on /dev/shm.

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

from collections.abc import Iterator

from cfglint.jobs.processes import in_container
from cfglint.model.container import DEFAULT_SHM
from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Launch, Rule, repair

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


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A container that starts several processes with no more /dev/shm than the default."""
    box = launch.container
    if box is None or not box.complete or box.build_shm_size is not None:
        return
    count, memory = in_container(launch), box.shared_memory
    if count is None or count < 2 or memory is None or memory > DEFAULT_SHM:
        return
    edits = box.set_option("shm_size", "16gb") if box.set_option else None
    in_pod = box.kind == "pod"
    title = "mount memory on /dev/shm" if in_pod else "give it 16 GB of shared memory"
    yield RULE.finding(
        launch.document,
        box.shm_size.span if box.shm_size else box.span,
        f"{count} processes share the container's 64 MB of /dev/shm",
        help="Mount an emptyDir with medium: Memory on /dev/shm." if in_pod else RULE.help,
        fix=repair(title, edits),
    )
