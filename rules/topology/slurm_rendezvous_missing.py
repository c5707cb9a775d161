"""srun over several nodes starts torchrun as if each were alone.

## What it flags

srun over more than one node in front of a `torchrun` that is given neither `--nnodes` nor a
rendezvous, or a c10d rendezvous without `--nnodes`.

## Why it fails

Without a rendezvous every node trains a job of its own: the same data, no gradient exchange, one
checkpoint folder for all of them. Nothing fails. With one the first node trains alone, for
`--nnodes` is 1, and the others wait for a place until it is done:

    torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to the C10d
    store has failed.

## Example

    #!/bin/bash
    #SBATCH --nodes=4
    #SBATCH --ntasks-per-node=1
    srun torchrun --nproc_per_node=8 train.py

Repair: one job over all nodes.

    #!/bin/bash
    #SBATCH --nodes=4
    #SBATCH --ntasks-per-node=1
    export NCCL_SOCKET_IFNAME=eth0
    HEAD=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
    srun torchrun --nnodes=4 --rdzv_id=$SLURM_JOB_ID --rdzv_backend=c10d --rdzv_endpoint=$HEAD:29400 --nproc_per_node=8 train.py
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule, default_int

RULE = Rule(
    code="TOPO012",
    name="slurm-rendezvous-missing",
    severity=ERROR,
    summary="srun over several nodes starts torchrun without nodes or rendezvous",
    cause="Each node trains alone, on the same data, and no error says so.",
    help="Give torchrun --nnodes and an --rdzv_endpoint on the first node.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A torchrun under srun."""
    if launch.launcher != "torchrun" or "srun" not in launch.wrappers or not launch.complete:
        return
    if launch.nodes is None or (default_int(launch.nodes.value) or 0) < 2:
        return
    if launch.tasks == 1:
        return
    given = launch.settings.keys()
    if given & {"nnodes", "master_addr", "node_rank"}:
        return
    many = f"srun starts this on {launch.nodes.text} nodes"
    if not given & {"rdzv_endpoint", "rdzv_backend"}:
        yield RULE.finding(launch.document, launch.span, f"{many}, and each is a job of its own")
    elif launch.effective("rdzv_backend") == "c10d" and "standalone" not in given:
        yield RULE.finding(
            launch.document, launch.span, f"{many}, and the rendezvous takes one of them",
            cause="--nnodes is 1 where nothing says more: the others wait until the first is done.",
            help=f"Give torchrun --nnodes={launch.nodes.text}.",
        )  # fmt: skip
