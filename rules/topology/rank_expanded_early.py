r"""The batch shell fills in a task's number before the tasks exist.

## What it flags

`$SLURM_NODEID` or `$SLURM_PROCID` as `--node_rank`, written bare or in double quotes behind `srun`,
under static rendezvous; `RANK` and `LOCAL_RANK` filled in so for a program of which srun starts a
task for each process. In single quotes, or with a backslash in front, each task fills it in.

## Why it fails

The batch shell has a task id of its own, 0, so every node gets rank 0. The nodes join and then
hang:

    wait timeout after 300000ms, keys: /none/torchelastic/role_info/0

## Example

    #!/bin/bash
    #SBATCH --nodes=2
    #SBATCH --ntasks-per-node=1
    export NCCL_SOCKET_IFNAME=eth0
    srun bash -c "torchrun --nnodes=2 --nproc_per_node=8 --node_rank=$SLURM_NODEID --master_addr=node1 --master_port=29500 train.py"

Repair: leave it to the task.

    #!/bin/bash
    #SBATCH --nodes=2
    #SBATCH --ntasks-per-node=1
    export NCCL_SOCKET_IFNAME=eth0
    srun bash -c "torchrun --nnodes=2 --nproc_per_node=8 --node_rank=\${SLURM_NODEID} --master_addr=node1 --master_port=29500 train.py"
"""

from collections.abc import Iterator

from cfglint.jobs.early_ranks import early_numbers, early_rank
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule

RULE = Rule(
    code="TOPO004",
    name="rank-expanded-early",
    severity=ERROR,
    summary="the batch shell fills in the node rank before the tasks exist",
    fix="safe",
    unsafe_too=True,
    symptoms=(r"torchelastic/role_info", r"Timed out after \d+ seconds waiting for clients"),
    cause="Every node gets rank 0; they hang after the rendezvous.",
    help="Let each task fill it in: single quotes, or a backslash before the $.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A launch whose node rank, or a program whose own, was filled in before srun."""
    for one in early_numbers(launch):
        yield RULE.at(
            one.rank,
            f"the batch shell fills in ${one.variable}: every task is given {one.name} 0",
            cause="All tasks take themselves for the first one: EADDRINUSE, or a job that hangs.",
            help=f"Let each task set it: srun bash -c '{one.name}=${one.variable} ... python ...'.",
            fix=one.fix,
        )
    early = early_rank(launch)
    if early is None:
        return
    yield RULE.at(
        early.rank,
        f"{early.shell} fills in {early.variable}, which is empty there"
        if early.is_empty
        else f"{early.shell} fills in {early.variable}, which is 0, for all nodes",
        cause="The launcher stops: an empty word is no number." if early.is_empty else None,
        fix=early.fix,
        no_fix="" if early.fix or launch.program else "the command shows no program",
    )
