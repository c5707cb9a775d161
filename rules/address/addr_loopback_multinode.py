"""A job over several machines whose nodes dial themselves.

## What it flags

localhost, 127.x or ::1 as the rendezvous address where the files say that there are several nodes. A
warning where only rank 0's own file says so: rank 0 may reach itself that way; and where an elastic job
(`--nnodes=1:4`) may go on with one node. A later node that is shown other devices than the first
(`CUDA_VISIBLE_DEVICES=4,5,6,7`) shares the machine with the others, as tests do, and is left alone; so are
as many nodes as the job needs which one script starts side by side.

## Why it fails

Every node connects to itself. Node 0 waits for the others, node 1 finds nobody listening:

    torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients joined.
    The client socket has timed out after 900000ms while trying to connect to (localhost, 29500).

## Example

    torchrun --nnodes=2 --node_rank=1 --nproc_per_node=8 --master_addr=localhost --master_port=29500 train.py

Repair: the address of the machine with rank 0, as the other nodes see it.

    torchrun --nnodes=2 --node_rank=1 --nproc_per_node=8 --master_addr=10.0.0.1 --master_port=29500 train.py
"""

from collections.abc import Iterator

from cfglint.network import loopback
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Launch, Rule

RULE = Rule(
    code="ADDR002",
    name="addr-loopback-multinode",
    severity=ERROR,
    summary="several nodes, and each dials itself",
    symptoms=(
        r"Timed out after \d+ seconds waiting for clients",
        r"while trying to connect to \((localhost|127\.)",
    ),
    cause="Each node waits for itself: Timed out after 900 seconds waiting for clients. 1/2 clients joined.",
    help="Give every node the address of the machine with rank 0.",
    yields_to=("ADDR009", "ADDR012"),
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's address, where it is the node's own."""
    address, text = launch.address, loopback.dialled(launch)
    if address is None or not text or not launch.is_multinode:
        return
    if text != address.text and address.document.kind in ("dockerfile",):
        return  # a default that whoever starts the container replaces
    if loopback.is_shared(launch):
        return
    rank = launch.get("node_rank")
    first = rank.number == 0 if rank is not None else bool(launch.peers) and not launch.is_static
    alone = first and not any(loopback.dialled(peer) for peer in launch.peers)
    message = f"{launch.machines()} nodes, and this one dials {text}, which is itself"
    if text != address.text:
        message = f"{launch.machines()} nodes, and the default is {text}: each dials itself"
    yield RULE.at(
        address,
        message,
        severity=WARNING if alone or text != address.text or _may_be_one(launch) else ERROR,
    )


def _may_be_one(launch: Launch) -> bool:
    """Whether an elastic job (`--nnodes=1:4`) starts with the node at hand alone."""
    return launch.machines_to_start() == 1
