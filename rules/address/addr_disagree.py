"""The nodes of one job dial different masters.

## What it flags

Files that are the nodes of one job (the same folder and name with another node number, or a `[[job]]`
of the settings) and name different rendezvous addresses. Each node that differs from rank 0's own file
is reported. A loopback address in rank 0's file is `addr-loopback-multinode`'s.

## Why it fails

Only rank 0 runs the store. The others dial a machine where nobody listens:

    torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients joined.
    The client socket has timed out after 900000ms while trying to connect to (192.168.100.2, 29500).

## Example

    === run_rank0.sh
    NNODES=2 NODE_RANK=0 MASTER_ADDR=192.168.100.1 MASTER_PORT=29500 FORCE_TORCHRUN=1 llamafactory-cli train a.yaml
    === run_rank1.sh
    NNODES=2 NODE_RANK=1 MASTER_ADDR=192.168.100.2 MASTER_PORT=29500 FORCE_TORCHRUN=1 llamafactory-cli train a.yaml

Repair: the address of the machine with rank 0 in every file.

    === run_rank1.sh
    NNODES=2 NODE_RANK=1 MASTER_ADDR=192.168.100.1 MASTER_PORT=29500 FORCE_TORCHRUN=1 llamafactory-cli train a.yaml
"""

from collections.abc import Iterator

from cfglint.network import addresses
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Related, Rule, repair

RULE = Rule(
    code="ADDR007",
    name="addr-disagree",
    severity=ERROR,
    summary="the nodes of one job dial different masters",
    fix="unsafe",
    symptoms=(
        r"Timed out after \d+ seconds waiting for clients",
        r"client socket has timed out after \d+ms while trying to connect",
    ),
    cause="Both nodes wait for the whole rendezvous timeout (900 s), then: 1/2 clients joined.",
    help="Give every node the address of the machine with rank 0.",
)


def check_project(project: Project) -> Iterator[Finding]:
    """For each job, the nodes whose address is not rank 0's."""
    for job in project.jobs():
        first = next(
            (x for x in job if x.get("node_rank") and x.settings["node_rank"].number == 0), job[0]
        )
        agreed = first.address
        if agreed is None or not agreed.text or _is_own(agreed.text):
            continue
        for launch in job:
            address = launch.address
            if address is None or not address.text or address.text == agreed.text:
                continue
            if _is_own(address.text):
                continue
            line = agreed.document.source.position(agreed.span.start)[0]
            yield RULE.at(
                address,
                f"{_node(launch)} dials {address.text}, {agreed.document.path}:{line} says {agreed.text}",
                fix=repair(
                    f"use {agreed.text}, as {agreed.document.path}", address.write(agreed.text)
                ),
                related=[Related(agreed.document, agreed.span, "what rank 0 says")],
            )


def _is_own(text: str) -> bool:
    """Whether a node that dials this reaches itself, which is what ADDR002 and ADDR004 judge."""
    return addresses.is_loopback(text) or addresses.is_wildcard(text)


def _node(launch: Launch) -> str:
    rank = launch.get("node_rank")
    return (
        f"node {rank.number}"
        if rank is not None and rank.number is not None
        else launch.document.path
    )
