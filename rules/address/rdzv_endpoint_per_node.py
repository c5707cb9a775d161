"""Every node takes itself for the master.

## What it flags

`$(hostname)`, `hostname -I` or `ip addr` as the master address or rendezvous endpoint, in a place
that each node of a job over several machines evaluates: a script that runs on every node, or the
single-quoted text of `srun bash -c '...'` or of `ssh $host '...'` in a loop over hosts. What a
batch script, or a shell that calls the others, expands once is right (its host is the first node),
and so is a command that gives node rank 0 as a literal.

## Why it fails

Each node is the host of its own rendezvous and waits for the others:

    torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError
    torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients joined.

## Example

    #!/bin/bash
    #SBATCH --nodes=2
    #SBATCH --ntasks-per-node=1
    export NCCL_SOCKET_IFNAME=eth0
    srun bash -c 'torchrun --nnodes=2 --nproc_per_node=8 --rdzv_id=61 --rdzv_backend=c10d --rdzv_endpoint=$(hostname):29400 train.py'

Repair: the first host of the allocation.

    #!/bin/bash
    #SBATCH --nodes=2
    #SBATCH --ntasks-per-node=1
    export NCCL_SOCKET_IFNAME=eth0
    srun bash -c 'torchrun --nnodes=2 --nproc_per_node=8 --rdzv_id=61 --rdzv_backend=c10d --rdzv_endpoint=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1):29400 train.py'
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    WARNING,
    Computed,
    Edit,
    Finding,
    Launch,
    Rule,
    Setting,
    Variable,
    as_int,
    default_literal,
    repair,
)

RULE = Rule(
    code="ADDR008",
    name="rdzv-endpoint-per-node",
    severity=ERROR,
    summary="every node takes itself for the master",
    fix="unsafe",
    symptoms=(r"RendezvousTimeoutError", r"Timed out after \d+ seconds waiting for clients"),
    cause="Each node hosts a rendezvous of its own and waits for the others until it times out.",
    help="Give all nodes the address of one of them.",
)
_FIRST_HOST = '$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)'


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A multi-node launch that each node evaluates."""
    address = launch.address
    if address is None or not launch.is_multinode or not _on_each_node(launch):
        return
    if launch.container is not None and launch.container.pods == 1:
        return  # its own name may be the master's
    value = address.value
    if isinstance(value, Variable) and value.default is not None:
        value = value.default
    if (
        not isinstance(value, Computed)
        or not value.per_node
        or not value.idiom.startswith("hostname")
    ):
        return
    rank = launch.get("node_rank")
    if rank is not None and rank.number == 0:
        return  # the script of the node with rank 0
    if launch.peers and not launch.is_static and all(map(_names_one, launch.peers)):
        return  # the script of the node that the others dial
    who = f"node rank {rank.number}" if rank is not None and rank.number else "each node"
    nnodes = launch.get("nnodes")
    certain = nnodes is None or as_int(nnodes.value) is not None
    yield RULE.at(
        address,
        f"{who} takes its own name for the master: {value.text}",
        severity=ERROR if certain else WARNING,
        fix=None if launch.host else repair(_title(launch), _better(launch, address)),
    )


def _names_one(launch: Launch) -> bool:
    """Whether a launch dials a machine that it names."""
    return launch.address is not None and bool(default_literal(launch.address.value))


def _on_each_node(launch: Launch) -> bool:
    """Whether each node evaluates its command; by ssh, where a loop goes through the hosts or the
    rank is not that of the master's."""
    if launch.host:
        rank = launch.get("node_rank") if launch.is_static else None
        if rank is not None and rank.number is not None:
            return rank.number > 0
        return "$" in launch.host and launch.in_every_turn
    return launch.evaluated == "node" and not launch.calls_others


def _title(launch: Launch) -> str:
    if launch.document.kind == "slurm" or {"srun", "sbatch"} & set(launch.wrappers):
        return "dial the first host of the allocation"
    return "let the environment name the master"


def _better(launch: Launch, address: Setting) -> Edit | None:
    if launch.document.kind == "slurm" or {"srun", "sbatch"} & set(launch.wrappers):
        return address.write(Computed(_FIRST_HOST))
    return address.write(Variable("MASTER_ADDR", None, ":?"))
