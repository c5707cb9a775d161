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

from cfglint.project import Project
from cfglint.rule import ERROR, Computed, Finding, Fix, Launch, Rule, Setting, Variable, repair

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

_EARLY = {
    "early-task-id": "the batch shell",
    "submitted-task-id": "the shell that submits the job",
}


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A launch whose node rank, or a program whose own, was filled in before srun."""
    if launch.launcher == "python":
        yield from _own_rank(launch)
    rank = launch.get("node_rank")
    if rank is None or not isinstance(rank.value, Computed) or rank.value.idiom not in _EARLY:
        return
    if not launch.is_static or launch.is_single_node:
        return
    if launch.nodes is not None and launch.nodes.number == 1:
        return
    name, shell = rank.value.text, _EARLY[rank.value.idiom]
    fix = _fix(launch, rank, name)
    yield RULE.at(
        rank,
        f"{shell} fills in {name}, which is 0, for all nodes"
        if rank.value.low == 0
        else f"{shell} fills in {name}, which is empty there",
        cause=None if rank.value.low == 0 else "The launcher stops: an empty word is no number.",
        fix=fix,
        no_fix="" if fix or launch.program else "the command shows no program",
    )


def _own_rank(launch: Launch) -> Iterator[Finding]:
    """The numbers of a program of which srun starts one task for each process."""
    if "srun" not in launch.wrappers or not _starts_several(launch):
        return
    for name, number in (("RANK", "SLURM_PROCID"), ("LOCAL_RANK", "SLURM_LOCALID")):
        rank = launch.env.get(name)
        if rank is None:
            continue
        value = rank.value
        by_batch = isinstance(value, Variable) and value.name == number
        if isinstance(value, Computed) and value.idiom == "early-task-id":
            fix = _fix(launch, rank, value.text)
        elif by_batch and launch.evaluated == "once" and rank.document.kind == "slurm":
            fix = None
        else:
            continue
        yield RULE.at(
            rank,
            f"the batch shell fills in ${number}: every task is given {name} 0",
            cause="All tasks take themselves for the first one: EADDRINUSE, or a job that hangs.",
            help=f"Let each task set it: srun bash -c '{name}=${number} ... python ...'.",
            fix=fix,
        )


def _starts_several(launch: Launch) -> bool:
    """Whether srun is seen to start more than one task."""
    each, nodes = launch.get("tasks_per_node"), launch.nodes
    counts = (launch.tasks, each.number if each else None, nodes.number if nodes else None)
    return launch.tasks != 1 and any((count or 1) > 1 for count in counts)


def _fix(launch: Launch, rank: Setting, name: str) -> Fix | None:
    """A backslash, where a shell on the node reads the text again; else a shell to read it."""
    if launch.evaluated != "node" or launch.is_started:
        if launch.program is None:
            return None  # the command may go on where nobody sees it
        edits = launch.read_on_node(rank) if launch.read_on_node is not None else None
        return repair("let a shell on each node fill it in", edits)
    if rank.used_at is not None:
        return None
    return repair("let each task fill it in", rank.write(Variable(name.lstrip("$"))), safe=True)
