"""0.0.0.0 as master address: every node reaches itself.

## What it flags

0.0.0.0 or :: as the rendezvous address of a job over several machines; and as `--rdzv_endpoint` of
c10d even on one. A warning where only rank 0's own file says so under static rendezvous: it dials
itself, and that is right there. As many nodes as the job needs which one script starts side by side
on its machine reach each other so, and are left alone.

## Why it fails

It is an address to listen on, not one to dial. Connecting to it reaches the node's own machine, so each
node waits for itself:

    torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients joined.

c10d starts the store on the node whose own address the endpoint is. 0.0.0.0 is no node's own:

    RendezvousConnectionError: The connection to the C10d store has failed.

## Example

    torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=0.0.0.0 --master_port=29500 train.py

Repair: the address of the machine with rank 0. (The store listens on every address by itself.)

    torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=10.0.0.1 --master_port=29500 train.py
"""

from collections.abc import Iterator

from cfglint.network import addresses, loopback
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Launch, Rule, Setting, default_literal, repair

RULE = Rule(
    code="ADDR004",
    name="addr-wildcard",
    severity=ERROR,
    summary="0.0.0.0 as master address of several machines, or as an endpoint of c10d",
    fix="safe",
    symptoms=(
        r"Timed out after \d+ seconds waiting for clients",
        r"connect to \(0\.0\.0\.0",
        r"The connection to the C10d store has failed",
    ),
    cause="Each node waits for itself: Timed out after 900 seconds waiting for clients. 1/2 clients joined.",
    help="Give every node the address of the machine with rank 0.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's address, where it is the wildcard."""
    address = launch.address
    text = _dialled(launch)
    if address is None or not text:
        return
    if launch.launcher == "torchrun" and launch.effective("rdzv_backend") == "c10d":
        if "rdzv_endpoint" in launch.settings and not _hosts_by_order(launch):
            yield _of_c10d(launch, address, text)
    elif launch.is_multinode and not loopback.is_shared(launch):
        rank = launch.get("node_rank")
        first = rank is not None and rank.number == 0
        alone = first and bool(launch.peers) and not any(map(_dialled, launch.peers))
        yield RULE.at(
            address,
            f"{text} is for listening; a node that dials it reaches itself",
            severity=WARNING if alone else ERROR,
        )


def _dialled(launch: Launch) -> str:
    """The wildcard that a launch dials, "" for none."""
    text = default_literal(launch.address.value) if launch.address is not None else None
    return text if text and addresses.is_wildcard(text) else ""


def _hosts_by_order(launch: Launch) -> bool:
    """Whether c10d is told which node hosts the store, or --standalone settles it."""
    conf = launch.get("rdzv_conf")
    return "standalone" in launch.settings or (
        conf is not None and "is_host" in (conf.text or "is_host")
    )


def _of_c10d(launch: Launch, address: Setting, text: str) -> Finding:
    fix = repair("dial localhost", address.write("localhost"), safe=True)
    return RULE.at(
        address,
        f"{text} is for listening; c10d takes it for no node's own address, so nobody hosts the store",
        cause="Every node fails: The connection to the C10d store has failed.",
        help="Write localhost on one node, the name or address of a node where there are several.",
        fix=fix if launch.is_single_node else None,
    )
