"""A c10d rendezvous over several nodes that is given an address it does not read.

## What it flags

`torchrun --rdzv_backend=c10d` over several nodes with `--master_addr` and without
`--rdzv_endpoint`. What starts in a container whose environment the files do not show (a Dockerfile's
CMD) may be given `PET_RDZV_ENDPOINT`; it is flagged where the address is written out.

## Why it fails

c10d reads only the endpoint. Without one every node takes localhost:29400 and waits for itself:

    torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError

## Example

    torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=7 --master_addr=10.0.0.1 --master_port=29501 train.py

Repair: the endpoint.

    torchrun --rdzv_endpoint=10.0.0.1:29501 --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=7 train.py
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Edit, Finding, Fix, Launch, Rule, repair

RULE = Rule(
    code="ADDR012",
    name="rdzv-endpoint-missing",
    severity=ERROR,
    summary="c10d over several nodes with a master address and no endpoint",
    fix="safe",
    symptoms=(r"RendezvousTimeoutError",),
    cause="c10d takes localhost:29400 on every node, and each waits for itself.",
    help="Give --rdzv_endpoint=HOST:PORT; c10d reads neither --master_addr nor --master_port.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A torchrun command with c10d."""
    backend, address = launch.get("rdzv_backend"), launch.get("master_addr")
    if launch.launcher != "torchrun" or backend is None or backend.text != "c10d":
        return
    if address is None or not launch.is_multinode or not launch.shows_options:
        return
    # What runs the image or the script may set PET_RDZV_ENDPOINT, where it sets the address too.
    if not launch.complete and address.text is None:
        return
    if {"rdzv_endpoint", "standalone"} & launch.settings.keys():
        return
    yield RULE.finding(
        launch.document,
        address.used_at or address.span,
        "c10d does not read --master_addr, and no --rdzv_endpoint is given",
        fix=_fix(launch),
    )


def _fix(launch: Launch) -> Fix | None:
    """The endpoint from the address and port that are given."""
    command = launch.command
    if command is None or "master_addr" not in command.given:
        return None
    address, port = command.given["master_addr"], command.given.get("master_port")
    host = address.raw.strip('"')
    if any(sign in host for sign in "'`(\\ "):
        return None
    number = port.raw.strip('"') if port is not None else "29500"
    if any(sign in number for sign in "'`(\\ "):
        return None
    edits: list[Edit | None] = [launch.add("rdzv_endpoint", f"{host}:{number}"), address.remove()]
    if port is not None:
        edits.append(port.remove())
    return repair("give the endpoint", *edits, safe=True)
