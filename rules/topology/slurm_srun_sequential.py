"""The nodes of one job are started one after the other.

## What it flags

Several `srun` or `ssh` commands of one job in the foreground: a loop over nodes, or one line per
node with ranks of their own, without `&`; also one by ssh and one on the script's own machine.

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
from cfglint.rule import ERROR, Finding, Related, Rule, repair

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
    if not any(launch.wrappers for launch in project.launches):
        return
    from cfglint.jobs.turns import turns  # here: only scripts start anything in turn

    for found in turns(project):
        first, *others = found.job
        count = f"{first.machines()} " if first.machines() else ""
        pinned = found.are_pinned
        edits = found.side_by_side() if pinned else None
        yield RULE.finding(
            first.started_in,
            first.started_at if first.is_started else first.span,
            f"the {count}nodes of this job are started one after the other",
            help=None
            if pinned
            else "Pin each srun to a node (-N1 -n1 -w), end it with & and wait.",
            fix=repair("start them in the background and wait", edits, safe=True),
            related=[
                Related(x.started_in, x.started_at, "starts only when the line above has ended")
                for x in others
            ],
        )
