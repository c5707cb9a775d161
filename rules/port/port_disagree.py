"""The nodes of one job dial different ports.

## What it flags

Files that are the nodes of one job (the same folder and name with another node number, or a `[[job]]`
of the settings) and name different literal rendezvous ports.

## Why it fails

Rank 0 listens on one port, the others dial another:

    torch.distributed.DistStoreError: Timed out after 900 seconds waiting for clients. 1/2 clients joined.
    torch.distributed.DistNetworkError: The client socket has timed out after 900000ms while trying to
    connect to (10.0.0.1, 29501).

## Example

    === node0.sh
    torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=10.0.0.1 --master_port=29500 train.py
    === node1.sh
    torchrun --nnodes=2 --node_rank=1 --nproc_per_node=8 --master_addr=10.0.0.1 --master_port=29501 train.py

Repair: the port of rank 0 everywhere.

    === node1.sh
    torchrun --nnodes=2 --node_rank=1 --nproc_per_node=8 --master_addr=10.0.0.1 --master_port=29500 train.py
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Related, Rule, repair

RULE = Rule(
    code="PORT009",
    name="port-disagree",
    severity=ERROR,
    summary="the nodes of one job name different ports",
    fix="unsafe",
    symptoms=(
        r"client socket has timed out after \d+ms while trying to connect",
        r"Timed out after \d+ seconds waiting for clients",
    ),
    cause="The nodes never meet: rank 0 times out with 1/2 clients joined.",
    help="Give every node the same port.",
)


def check_project(project: Project) -> Iterator[Finding]:
    """For each job, the nodes whose port is not rank 0's."""
    for job in project.jobs():
        first = next(
            (x for x in job if x.get("node_rank") and x.settings["node_rank"].number == 0), job[0]
        )
        if first.port is None or not first.port.number:
            continue
        for launch in job:
            yield from _against(launch, first)


def _against(launch: Launch, first: Launch) -> Iterator[Finding]:
    port, agreed = launch.port, first.port
    if port is None or agreed is None or not port.number or port.number == agreed.number:
        return
    line = agreed.document.source.position(agreed.span.start)[0]
    yield RULE.at(
        port,
        f"this node dials port {port.number}, {agreed.document.path}:{line} says {agreed.number}",
        fix=repair(
            f"use {agreed.number}, as {agreed.document.path}", port.write(str(agreed.number))
        ),
        related=[Related(agreed.document, agreed.span, "the other node's port")],
    )
