"""The node files of one job differ in what must be equal.

## What it flags

Node files of one job that name different numbers of nodes, rendezvous backends or ids of a c10d
rendezvous (errors), or different numbers of processes (a warning: torchrun sums the nodes' own numbers,
so that this is also the way to run uneven nodes).

## Why it fails

    torch.distributed.DistStoreError: Timed out after 900 seconds waiting for clients. 2/3 clients joined.

With accelerate, files that say 4 and 2 processes on two machines train with 2 + 1 = 3.

## Example

    === node0.sh
    torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 --master_addr=10.0.0.1 --master_port=29500 train.py
    === node1.sh
    torchrun --nnodes=3 --node_rank=1 --nproc_per_node=8 --master_addr=10.0.0.1 --master_port=29500 train.py

Repair: the same number in every file.

    === node1.sh
    torchrun --nnodes=2 --node_rank=1 --nproc_per_node=8 --master_addr=10.0.0.1 --master_port=29500 train.py
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Launch, Related, Rule

RULE = Rule(
    code="TOPO011",
    name="nodes-disagree",
    severity=ERROR,
    summary="node files of one job differ in nodes, backend or processes",
    symptoms=(r"Timed out after \d+ seconds waiting for clients",),
    help="Give every node of the job the same value.",
)
_MUST = (
    ("nnodes", ERROR),
    ("rdzv_backend", ERROR),
    ("rdzv_id", ERROR),
    ("num_processes", WARNING),
)
_CAUSE = {
    "nnodes": "The nodes wait for different numbers of peers and time out.",
    "rdzv_backend": "The nodes speak different rendezvous protocols and never meet.",
    "rdzv_id": "Each id is a rendezvous of its own, in which a node waits for the others.",
    "num_processes": "accelerate divides each file's own number; the world is the sum of the floors.",
}


def check_project(project: Project) -> Iterator[Finding]:
    """For each job, the nodes that differ from its first."""
    for job in project.jobs():
        first = next(
            (x for x in job if x.get("node_rank") and x.settings["node_rank"].number == 0), job[0]
        )
        for launch in job:
            if launch is not first:
                yield from _compare(launch, first)


def _compare(launch: Launch, first: Launch) -> Iterator[Finding]:
    for name, severity in _MUST:
        mine, theirs = launch.get(name), first.get(name)
        if name == "rdzv_backend" and (mine is None) is not (theirs is None):
            yield from _backends(launch, first)
        elif name == "rdzv_id" and launch.is_static:
            continue  # which does not look at it
        if mine is None or theirs is None or mine.text is None or theirs.text is None:
            continue
        if mine.text.strip() == theirs.text.strip() or (
            mine.document is theirs.document and mine.span == theirs.span
        ):
            continue
        if name == "num_processes" and _as_many_each(launch, first):
            continue  # only the number of nodes differs, which is said there
        line = theirs.document.source.position(theirs.span.start)[0]
        yield RULE.at(
            mine,
            f"{mine.key} is {mine.text} here, {theirs.document.path}:{line} says {theirs.text}",
            severity=severity,
            cause=_CAUSE[name],
            related=[Related(theirs.document, theirs.span, "the other node")],
        )


def _backends(launch: Launch, first: Launch) -> Iterator[Finding]:
    """Two nodes of which one names a backend that is not the other's default."""
    said, other = (launch, first) if launch.get("rdzv_backend") else (first, launch)
    mine, default = said.settings["rdzv_backend"], other.effective("rdzv_backend")
    if mine.text is None or default is None or mine.text == default:
        return
    yield RULE.at(
        mine,
        f"{mine.key} is {mine.text} here, and {other.document.path} has the default, {default}",
        cause=_CAUSE["rdzv_backend"],
        related=[Related(other.document, other.span, "the other node")],
    )


def _as_many_each(launch: Launch, first: Launch) -> bool:
    """Whether both totals come to the same number of processes on each machine."""
    shares = []
    for one in (launch, first):
        total, machines = one.get("num_processes"), one.get("nnodes")
        if total is None or machines is None or not total.number or not machines.number:
            return False
        shares.append(total.number / machines.number)
    return shares[0] == shares[1]
