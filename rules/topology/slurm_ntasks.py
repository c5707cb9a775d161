"""Several tasks per node, each of which starts a process per GPU.

## What it flags

`--ntasks-per-node` above 1 (or `--ntasks` above the number of nodes) where srun starts `torchrun`,
`accelerate launch` or `deepspeed`; mpirun with more ranks than the job of its torchrun has nodes, or
with several where nothing joins the torchruns into one job.
One task per GPU without a launcher is right, and so is a launcher that is told to start one
process, or as many as its task has GPUs (`--gpus-per-task`).
`llamafactory-cli train` and `swift sft` under such tasks are RUN001's.

## Why it fails

The launcher starts the processes of a node itself. Two tasks are two launchers on one node: they
fight over the port and put two processes on each GPU.

    The server socket has failed to listen on any local network address. port: 29500 ... EADDRINUSE

## Example

    #!/bin/bash
    #SBATCH --nodes=2
    #SBATCH --ntasks-per-node=8
    export NCCL_SOCKET_IFNAME=eth0
    srun torchrun --nnodes=2 --nproc_per_node=8 --rdzv_id=7 --rdzv_backend=c10d --rdzv_endpoint=node1:29400 train.py

Repair: one task per node.

    #!/bin/bash
    #SBATCH --nodes=2
    #SBATCH --ntasks-per-node=1
    export NCCL_SOCKET_IFNAME=eth0
    srun torchrun --nnodes=2 --nproc_per_node=8 --rdzv_id=7 --rdzv_backend=c10d --rdzv_endpoint=node1:29400 train.py
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule, repair

RULE = Rule(
    code="TOPO009",
    name="slurm-ntasks",
    severity=ERROR,
    summary="several tasks per node, each of which starts a process per GPU",
    fix="safe",
    symptoms=(r"EADDRINUSE", r"Duplicate GPU detected", r"CUDA out of memory"),
    cause="Each task starts a launcher: they fight over the port and double the ranks.",
    help="Ask for one task per node: --ntasks-per-node=1.",
)
_LAUNCHERS = ("torchrun", "accelerate", "deepspeed")
_JOINS = {"nnodes", "node_rank", "master_addr", "rdzv_endpoint", "rdzv_backend"}


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A launcher under srun."""
    if launch.launcher not in _LAUNCHERS:
        return
    if "mpirun" in launch.wrappers:
        yield from _ranks(launch)
    if "srun" not in launch.wrappers:
        return
    nproc = launch.get("nproc_per_node")
    if nproc is None and launch.launcher == "torchrun":
        return  # one process per task: a launcher for each, but no more ranks than tasks
    if nproc is not None and nproc.number in (None, 1):
        return
    if launch.launcher == "accelerate" and launch.get("num_processes") is None:
        return
    tasks = launch.get("tasks_per_node")
    if tasks is None or tasks.number is None or tasks.number < 2:
        return
    own = launch.get("gpus_per_task")
    count = nproc or launch.get("num_processes")
    processes = count.number if count is not None else None
    if own is not None and (own.number is None or own.number >= (processes or 2)):
        return  # each launcher has GPUs of its own
    yield RULE.at(
        tasks,
        f"{tasks.number} tasks per node, and each starts {launch.launcher} for the whole node",
        fix=repair("one task per node", tasks.write("1"), safe=True),
    )


def _ranks(launch: Launch) -> Iterator[Finding]:
    """mpirun that starts a launcher more often than its job has nodes."""
    ranks, nodes, nproc = launch.get("ranks"), launch.machines(), launch.get("nproc_per_node")
    if ranks is None or ranks.number is None:
        return
    if launch.launcher == "torchrun" and not _JOINS & launch.settings.keys():
        if ranks.number > 1 and nproc is not None and nproc.number not in (None, 1):
            yield RULE.at(
                ranks,
                f"mpirun starts torchrun {ranks.number} times, and each is a job of its own",
                help="Start torchrun alone, or give it --nnodes and a rendezvous, once on each node.",
            )
        return
    if not nodes or launch.get("nnodes") is None:
        return
    if nproc is None or nproc.number in (None, 1) or ranks.number <= nodes:
        return
    yield RULE.at(
        ranks,
        f"mpirun starts {launch.launcher} {ranks.number} times, for a job of {nodes} nodes",
        help=f"Start it once on each node: -np {nodes}, with --map-by ppr:1:node (Open MPI) or -ppn 1.",
    )
