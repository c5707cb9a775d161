"""A node's rank is not one of 0 to nnodes - 1.

## What it flags

A literal node rank that is negative, or not below the number of nodes, under a static rendezvous. Ranks
1 to n are the usual reason; where all nodes are seen, the fix counts them from 0.

## Why it fails

Nobody hosts the store, or the store waits for a rank that never comes:

    torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients joined.
    wait timeout after 900000ms, keys: /none/torchelastic/role_info/1

## Example

    torchrun --nnodes=2 --node_rank=2 --nproc_per_node=4 --master_addr=10.30.0.5 --master_port=29500 train.py

Repair: ranks start at 0.

    torchrun --nnodes=2 --node_rank=1 --nproc_per_node=4 --master_addr=10.30.0.5 --master_port=29500 train.py
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Fix, Launch, Rule, Setting, default_int, repair

RULE = Rule(
    code="TOPO002",
    name="rank-out-of-range",
    severity=ERROR,
    summary="a node rank outside 0..nnodes-1",
    fix="unsafe",
    symptoms=(
        r"role_info/\d+",
        r"assigned_ranks/\d+",
        r"Timed out after \d+ seconds waiting for clients",
    ),
    cause="The rendezvous waits for a rank that never comes, and times out after 900 s.",
    help="Number the nodes from 0.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's rank, where it is out of range."""
    rank = launch.get("node_rank")
    size = launch.machines()
    if rank is None or size is None or not launch.is_static:
        return
    if rank.branches:
        yield from _of_branches(launch, rank, size)
    # What Compose fills in from .env is what the variable holds where nobody sets it anew.
    number = default_int(rank.value) if rank.document.kind == "dotenv" else rank.number
    if number is None:
        return
    nnodes = launch.get("nnodes")
    if nnodes is not None and nnodes.number is None:
        return  # a default that the environment may raise
    if launch.withholds("nnodes"):
        return  # env-not-exported says so: there are more nodes than the launcher is told
    if launch.launcher == "deepspeed" or "standalone" in launch.settings:
        return
    if launch.launcher == "accelerate" and size == 1:
        if number and launch.complete:  # accelerate looks at the rank of one machine nowhere
            said = f"rank {number} has no effect on one machine: each machine trains alone"
            yield RULE.at(rank, said, severity=WARNING, cause="", help="Say num_machines as well.")
    elif number < 0:
        yield RULE.at(rank, f"rank {number} is negative: ranks are 0 to {size - 1}")
    elif number >= size and (size > 1 or launch.launcher != "env"):
        word = "node" if size == 1 else "nodes"
        yield RULE.at(
            rank,
            f"rank {number} of {size} {word}: ranks are 0 to {size - 1}",
            fix=_one_based(launch, size) if size > 1 else _only(launch),
        )


def _of_branches(launch: Launch, rank: Setting, size: int) -> Iterator[Finding]:
    """What branches set the rank to, where the number of nodes does not hang on them."""
    nnodes = launch.get("nnodes")
    if nnodes is None or nnodes.number is None or size < 2:
        return
    known = [one for one in rank.each() if one.number is not None]
    all_one_based = sorted(one.number or 0 for one in known) == list(range(1, size + 1))
    for one in known:
        if not 0 <= (one.number or 0) < size:
            edits = [each.write(str((each.number or 0) - 1)) for each in known]
            yield RULE.at(
                one,
                f"rank {one.number} of {size} nodes: ranks are 0 to {size - 1}",
                fix=repair("number the nodes from 0", *edits) if all_one_based else None,
            )


def _only(launch: Launch) -> Fix | None:
    """The rank of a job on one node, where the files say outright that it has one."""
    rank = launch.get("node_rank")
    if rank is None or launch.get("nnodes") is None:
        return None  # perhaps it is the number of nodes that was forgotten
    return repair("the only node has rank 0", rank.write("0"))


def _one_based(launch: Launch, size: int) -> Fix | None:
    """All ranks one less, where the nodes of the job have ranks 1 to n."""
    job = [launch, *launch.peers]
    ranks = [x.get("node_rank") for x in job]
    numbers = sorted(r.number for r in ranks if r is not None and r.number is not None)
    if size < 2 or numbers != list(range(1, size + 1)):
        return None
    edits = [r.write(str((r.number or 0) - 1)) for r in ranks if r is not None]
    return repair("number the nodes from 0", *edits)
