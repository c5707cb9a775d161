"""The nodes of one job are started one after the other.

## What it flags

Several `srun` or `ssh` commands of one job in the foreground: a loop over nodes, or one line per
node with ranks of their own, without `&`.

## Why it fails

The first command waits for the whole rendezvous, and the second one starts only when the first has
ended:

    torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients joined.

## Example

    #!/bin/bash
    #SBATCH --nodes=2
    export NCCL_SOCKET_IFNAME=eth0
    for rank in 0 1; do
        srun -N1 -n1 --relative=$rank torchrun --nnodes=2 --node_rank=$rank --nproc_per_node=8 --master_addr=node1 --master_port=29500 train.py
    done

Repair: in the background, and wait for all.

    #!/bin/bash
    #SBATCH --nodes=2
    export NCCL_SOCKET_IFNAME=eth0
    for rank in 0 1; do
        srun -N1 -n1 --relative=$rank torchrun --nnodes=2 --node_rank=$rank --nproc_per_node=8 --master_addr=node1 --master_port=29500 train.py &
    done
    wait
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Alternatives, Edit, Finding, Fix, Launch, Related, Rule, repair

RULE = Rule(
    code="TOPO010",
    name="slurm-srun-sequential",
    severity=ERROR,
    summary="the nodes of one job are started one after the other",
    fix="safe",
    symptoms=(r"Timed out after \d+ seconds waiting for clients",),
    cause="The first node waits 900 s for the others, which start only when it has ended.",
    help="End each line with & and add a wait.",
)


def check_project(project: Project) -> Iterator[Finding]:
    """Each job whose nodes one script starts in turn."""
    seen: set[int] = set()
    for launch in project.launches:
        if id(launch) in seen or not _starts_node(launch):
            continue
        if launch.in_loop and _ranks_vary(launch):
            yield _finding(launch, [launch])
            continue
        job = [
            x for x in (launch, *launch.peers) if x.document is launch.document and _starts_node(x)
        ]
        job.sort(key=lambda x: x.span.start)
        if len(job) < 2 or len({_rank(x) for x in job}) < 2:
            continue
        seen.update(map(id, job))
        if all(not a.overlaps(b) for a in job for b in job if a is not b):
            yield _finding(job[0], job)


def _starts_node(launch: Launch) -> bool:
    """Whether a launch is one node of a job over several, started from a script by srun or ssh."""
    started = {"srun", "ssh"} & set(launch.wrappers)
    if not started or not launch.is_multinode or launch.background:
        return False
    if launch.launcher not in ("torchrun", "accelerate", "llamafactory"):
        return False
    nodes = launch.nodes.number if launch.nodes is not None else None
    return "ssh" in started or nodes == 1 or launch.tasks == 1 or _rank(launch) is not None


def _is_pinned(launch: Launch) -> bool:
    """Whether a line runs on one node, and not on all that the job has."""
    return "srun" not in launch.wrappers or launch.tasks == 1


def _rank(launch: Launch) -> str | None:
    rank = launch.get("node_rank")
    return rank.text if rank is not None else None


def _ranks_vary(launch: Launch) -> bool:
    """Whether a loop gives each turn another rank or host."""
    rank = launch.get("node_rank")
    return (
        rank is not None and rank.text is None and not isinstance(rank.value, Alternatives)
    ) or (rank is not None and isinstance(rank.value, Alternatives))


def _finding(launch: Launch, job: list[Launch]) -> Finding:
    related = [
        Related(x.document, x.span, "starts only when the line above has ended") for x in job[1:]
    ]
    pinned = all(map(_is_pinned, job))
    return RULE.finding(
        launch.document,
        launch.span,
        f"the {launch.machines()} nodes of this job are started one after the other",
        help=RULE.help
        if pinned
        else "Pin each srun to a node (-N1 -n1 -w), end it with & and wait.",
        fix=_fix(job) if pinned else None,
        related=related,
    )


def _fix(job: list[Launch]) -> Fix | None:
    edits: list[Edit] = []
    for number, launch in enumerate(job):
        found = launch.to_background() if launch.to_background is not None else None
        if found is None:
            return None
        edits += found if number == len(job) - 1 else found[:1]
    return repair("start them in the background and wait", *edits, safe=True)
