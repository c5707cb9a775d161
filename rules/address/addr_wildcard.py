"""0.0.0.0 as master address: every node reaches itself.

## What it flags

0.0.0.0 or :: as the rendezvous address of a job over several machines.

## Why it fails

It is an address to listen on, not one to dial. Connecting to it reaches the node's own machine, so each
node waits for itself:

    torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients joined.

## Example

    torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=0.0.0.0 --master_port=29500 train.py

Repair: the address of the machine with rank 0. (The store listens on every address by itself.)

    torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=10.0.0.1 --master_port=29500 train.py
"""

from collections.abc import Iterator

from cfglint.network import addresses
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule, default_literal

RULE = Rule(
    code="ADDR004",
    name="addr-wildcard",
    severity=ERROR,
    summary="0.0.0.0 as master address of several machines",
    symptoms=(r"Timed out after \d+ seconds waiting for clients", r"connect to \(0\.0\.0\.0"),
    cause="Each node waits for itself: Timed out after 900 seconds waiting for clients. 1/2 clients joined.",
    help="Give every node the address of the machine with rank 0.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's address, where it is the wildcard."""
    address = launch.address
    text = default_literal(address.value) if address is not None else None
    if address is not None and text and launch.is_multinode and addresses.is_wildcard(text):
        yield RULE.at(address, f"{text} is for listening; a node that dials it reaches itself")
