"""The master address is one of Docker's default bridge: a container's, on one host.

## What it flags

An address in 172.17.0.0/16 as rendezvous address of a job over several machines. 172.18 to 172.31 are
left alone: real networks (the default VPC of AWS) use them; so are containers of one host, which
reach each other at these addresses.

## Why it fails

172.17.0.2 is the first container of whichever host dials it. The other host connects to its own
container, or to nothing:

    socketStartConnect: Connect to 172.17.0.2<49113> failed : Software caused connection abort
    The client socket has timed out after 900000ms while trying to connect to (172.17.0.2, 29500).

## Example

    torchrun --nnodes=2 --node_rank=1 --nproc_per_node=8 --master_addr=172.17.0.2 --master_port=29500 train.py

Repair: the address of the host with rank 0, and host networking for the containers.

    torchrun --nnodes=2 --node_rank=1 --nproc_per_node=8 --master_addr=10.0.0.1 --master_port=29500 train.py

## When to ignore it

The LAN of the machines really is 172.17.0.0/16 and Docker's bridge was moved (`bip`).
"""

from collections.abc import Iterator

from cfglint.model.nodes import stay_on_one_host
from cfglint.network import addresses
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule, possible

RULE = Rule(
    code="ADDR003",
    name="addr-container",
    severity=ERROR,
    summary="a container's bridge address as master of several machines",
    symptoms=(r"Connect to 172\.17\.\d+\.\d+", r"trying to connect to \(172\.17\."),
    cause="Other hosts find their own bridge there: Connect to 172.17.0.2 failed.",
    help="Use the address of the host with rank 0.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's address, where it is a bridge address and other machines dial it."""
    address = launch.address
    if address is None or not launch.is_multinode or stay_on_one_host(launch):
        return
    for text in possible(address.value):
        if addresses.is_docker_bridge(text):
            yield RULE.at(
                address,
                f"{text} is an address of Docker's bridge, which other hosts cannot reach",
            )
            return
