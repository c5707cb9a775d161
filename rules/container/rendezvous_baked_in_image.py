"""The address, rank or size of a job fixed in an image.

## What it flags

`ENV MASTER_ADDR`, `RANK`, `NODE_RANK`, `NNODES` or `WORLD_SIZE` with a literal value in a
Dockerfile. What says no more than "one process here" (`NNODES=1`, `WORLD_SIZE=1`, a loopback
address) is left alone, and so is `MASTER_PORT`, which PORT001 judges.

## Why it fails

Every container of the image believes it, on every machine: all are rank 0, all dial one address
that was right on the day of the build. Two nodes of one rank wait for each other until the
timeout:

    RendezvousTimeoutError
    torch.distributed.DistStoreError: wait timeout after 900000ms

## Example

    FROM nvcr.io/nvidia/pytorch:24.10-py3
    ENV NNODES=2 NODE_RANK=0 MASTER_ADDR=10.20.0.11
    COPY . /workspace

Repair: leave it to whoever starts the container.

    FROM nvcr.io/nvidia/pytorch:24.10-py3
    COPY . /workspace

## When to ignore it

When each node builds an image of its own.

## References

- PyTorch: environment variable initialization.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Launch, Rule, repair

RULE = Rule(
    code="BOX006",
    name="rendezvous-baked-in-image",
    severity=WARNING,
    summary="the address, rank or size of a job fixed in a Dockerfile",
    fix="unsafe",
    symptoms=(r"RendezvousTimeoutError", r"DistStoreError"),
    yields_to=("ADDR001", "ADDR003", "ADDR004", "ADDR006", "ADDR011"),
    cause="Every container of the image believes it, on whichever machine it runs.",
    help="Set it where the container is started (compose environment, docker run -e).",
)
_NAMES = ("MASTER_ADDR", "RANK", "NODE_RANK", "NNODES", "WORLD_SIZE")
_ALONE = {"NNODES": ("1",), "WORLD_SIZE": ("1",), "MASTER_ADDR": ("localhost", "127.0.0.1", "::1")}


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    for name in _NAMES:
        setting = launch.env.get(name)
        if setting is None or setting.document.kind != "dockerfile" or not setting.text:
            continue
        if setting.text in _ALONE.get(name, ()) or (setting.text == "0" and _is_alone(launch)):
            continue
        yield RULE.at(
            setting,
            f"every container of this image gets {name}={setting.text}",
            fix=repair(f"remove {name} from the image", setting.remove()),
        )


def _is_alone(launch: Launch) -> bool:
    """Whether the image says that its job is a single process or machine."""
    sizes = [launch.env[name].text for name in ("NNODES", "WORLD_SIZE") if name in launch.env]
    return bool(sizes) and all(size == "1" for size in sizes)
