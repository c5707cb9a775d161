"""A node rank under a rendezvous that numbers the nodes itself.

## What it flags

`--node_rank` beside `--rdzv_backend=c10d` (or etcd), or `--standalone`.

## Why

Only the static rendezvous reads it. Under c10d the nodes are numbered as they arrive, so the rank
in the file may differ from the one the job shows. The job runs.

## Example

    torchrun --nnodes=2 --node_rank=1 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=7 --rdzv_endpoint=node1:29400 train.py

Repair: without it.

    torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=7 --rdzv_endpoint=node1:29400 train.py
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import INFO, Finding, Launch, Rule

RULE = Rule(
    code="TOPO014",
    name="rank-ignored",
    severity=INFO,
    summary="a node rank under a rendezvous that numbers the nodes itself",
    cause="c10d numbers the nodes as they arrive.",
    help="Leave it out, or use the static rendezvous.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A torchrun command with a rank."""
    rank = launch.get("node_rank")
    if launch.launcher != "torchrun" or rank is None or rank.origin == "env":
        return
    if rank.key == rank.name:
        return  # an operator gives it, whatever the command says
    backend = launch.effective("rdzv_backend")
    if backend in (None, "static"):
        return
    place = rank.key_span or rank.span
    document = rank.document if rank.key_span is None or rank.used_at is None else launch.document
    yield RULE.finding(document, place, f"{rank.key} has no effect under {backend}")
