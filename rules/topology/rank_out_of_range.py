"""A node's rank is not one of 0 to nnodes - 1.

## What it flags

A literal node rank that is negative, or not below the number of nodes, under a static rendezvous (of
`deepspeed` beside `--no_ssh`, where its hostfile tells how many there are); a
literal `RANK` that is not below `WORLD_SIZE`, for a program that no launcher starts. Ranks 1 to n are
the usual reason; where all are seen, the fix counts them from 0.

## Why it fails

Nobody hosts the store, or the store waits for a rank that never comes:

    torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients joined.
    wait timeout after 900000ms, keys: /none/torchelastic/role_info/1
    AssertionError: Launching training without ssh, but --node_rank is not set correctly.

## Example

    torchrun --nnodes=2 --node_rank=2 --nproc_per_node=4 --master_addr=10.30.0.5 --master_port=29500 train.py

Repair: ranks start at 0.

    torchrun --nnodes=2 --node_rank=1 --nproc_per_node=4 --master_addr=10.30.0.5 --master_port=29500 train.py
"""

from collections.abc import Iterator

from cfglint.jobs.rank_range import outside, process_outside
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Launch, Rule

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
        r"Launching training without ssh, but --node_rank is not set correctly",
    ),
    cause="The rendezvous waits for a rank that never comes, and times out after 900 s.",
    help="Number the nodes from 0.",
)
_REFUSED = 'deepspeed stops: "--node_rank is not set correctly".'


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The launch's rank, where it is out of range."""
    for one in outside(launch):
        rank, number, size = one.rank, one.number, one.size
        word = "node" if size == 1 else "nodes"
        if one.unread:
            said = f"rank {number} has no effect on one machine: each machine trains alone"
            yield RULE.at(rank, said, severity=WARNING, cause="", help="Say num_machines as well.")
        elif number < 0 and not one.in_branch:
            yield RULE.at(rank, f"rank {number} is negative: ranks are 0 to {size - 1}")
        else:
            message = f"rank {number} of {size} {word}: ranks are 0 to {size - 1}"
            refused = _REFUSED if launch.launcher == "deepspeed" else None
            yield RULE.at(rank, message, fix=one.fix, cause=refused)
    process = process_outside(launch)
    if process is not None:
        yield RULE.at(
            process.rank,
            f"rank {process.number} of {process.size} processes: ranks are 0 to {process.size - 1}",
            cause="The processes never meet: a rank that is waited for does not exist.",
            help="Number the processes from 0.",
            fix=process.fix,
        )
