"""A job over several nodes is started on the first one only.

## What it flags

An sbatch script with `--nodes` above one whose body starts a launcher for several nodes directly,
with no srun (or mpirun, ssh, pdsh) anywhere that would start it on the others, or with one srun for
one task (`srun -N1 -n1`); also one that a script submits by `sbatch --wrap` or a here-document.

## Why it fails

Slurm runs the batch script once, on the first node of the allocation. The launcher waits there for
nodes that nobody starts:

    torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients joined.

The whole allocation is paid for in the meantime.

## Example

    #!/bin/bash
    #SBATCH --nodes=2
    #SBATCH --ntasks-per-node=1
    export NCCL_SOCKET_IFNAME=eth0
    HEAD=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
    torchrun --nnodes=2 --rdzv_id=$SLURM_JOB_ID --rdzv_backend=c10d --rdzv_endpoint=$HEAD:29400 --nproc_per_node=8 train.py

Repair: let srun start it on every node.

    #!/bin/bash
    #SBATCH --nodes=2
    #SBATCH --ntasks-per-node=1
    export NCCL_SOCKET_IFNAME=eth0
    HEAD=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
    srun torchrun --nnodes=2 --rdzv_id=$SLURM_JOB_ID --rdzv_backend=c10d --rdzv_endpoint=$HEAD:29400 --nproc_per_node=8 train.py

## When to ignore it

When the sbatch script itself is started on every node by something that is not in the tree.

## References

- Slurm, sbatch: a single copy of the batch script runs on the first of the allocated nodes.
"""

from collections.abc import Iterator

from cfglint.jobs.first_node import on_every_node, waited_for
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Related, Rule

RULE = Rule(
    code="TOPO015",
    name="slurm-first-node-only",
    severity=ERROR,
    fix="unsafe",
    summary="an sbatch script starts a job over several nodes on the first one only",
    kinds=("slurm", "script"),
    symptoms=(r"Timed out after \d+ seconds waiting for clients\. 1/\d+ clients joined",),
    cause="Slurm runs the batch script on the first node; the launcher waits for the others.",
    help="Put srun in front, with one task per node.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A launcher in the body of a batch script."""
    nodes = waited_for(launch)
    if nodes is not None:
        by_srun = "srun" in launch.wrappers
        where = "one node" if by_srun else "the first node"
        yield RULE.finding(
            launch.document,
            launch.span,
            f"this starts on {where} only; the job waits for {launch.machines()} nodes",
            cause="srun starts one task; the launcher waits for the other nodes."
            if by_srun
            else None,
            help="Start one task on each node: srun --ntasks-per-node=1." if by_srun else None,
            fix=on_every_node(launch),
            related=[Related(nodes.document, nodes.span, "the nodes of the allocation")],
        )
