"""An address that is not a node of the job, or not the same one on every node.

## What it flags

- `SLURM_LAUNCH_NODE_IPADDR` as the master: the machine where srun was typed, often the login node.
  An error where the batch script itself expands it, bare or in the double quotes of
  `srun bash -c "..."`, since only srun's tasks have it.
- `SLURM_SUBMIT_HOST`, `PBS_O_HOST`, `SGE_O_HOST` or `LSB_SUB_HOST` as the master of several nodes: the
  machine where sbatch, qsub or bsub was typed.
- `$(hostname)` as the master of several nodes, where the shell fills it in that submits the job
  (`sbatch <<EOF`, `sbatch --wrap "..."`): its own machine, the login node as a rule.
- `$(scontrol show hostnames ... || echo localhost)` as the master of several nodes: where scontrol
  is missing, inside a container for instance, each node dials itself.

## Why it fails

An address that is empty is refused; nobody listens at the login node's:

    ValueError: The hostname of the rendezvous endpoint ':29400' must be a dot-separated list of labels, an IPv4 address, or an IPv6 address.
    The client socket has timed out after 900000ms while trying to connect to (login1, 29500).

## Example

    #!/bin/bash
    #SBATCH --nodes=2
    export NCCL_SOCKET_IFNAME=eth0
    srun torchrun --nnodes=2 --nproc_per_node=8 --rdzv_id=7 --rdzv_backend=c10d --rdzv_endpoint=$SLURM_LAUNCH_NODE_IPADDR:29400 train.py

Repair: the first host of the allocation.

    #!/bin/bash
    #SBATCH --nodes=2
    export NCCL_SOCKET_IFNAME=eth0
    HEAD=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
    srun torchrun --nnodes=2 --nproc_per_node=8 --rdzv_id=7 --rdzv_backend=c10d --rdzv_endpoint=$HEAD:29400 train.py
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Computed, Finding, Launch, Rule, Variable

RULE = Rule(
    code="ADDR009",
    name="rdzv-endpoint-wrong-host",
    severity=WARNING,
    summary="an address that is not a node of the job, or not the same on every node",
    symptoms=(
        r"client socket has timed out",
        r"The hostname of the rendezvous endpoint ':\d+' must be a dot-separated list of labels",
        r"Timed out after \d+ seconds waiting for clients",
        r"scontrol: command not found",
    ),
    help="Dial the first node of the job: of `scontrol show hostnames`, of $PBS_NODEFILE.",
)
# Where the job was submitted, by Slurm, PBS, Grid Engine and LSF.
_SUBMITTED_ON = ("SLURM_SUBMIT_HOST", "PBS_O_HOST", "SGE_O_HOST", "LSB_SUB_HOST")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A launch whose address comes from such an expression."""
    address = launch.address
    batch = launch.document.kind == "slurm" or "sbatch" in launch.wrappers
    if address is None or not (launch.is_multinode or batch):
        return
    value = address.value
    expanded = isinstance(value, Computed) and value.idiom == "early-launch-node"
    if expanded or (isinstance(value, Variable) and value.name == "SLURM_LAUNCH_NODE_IPADDR"):
        early = batch and (expanded or launch.evaluated == "once")
        if early and isinstance(value, Variable) and value.default is not None:
            return  # which the batch script takes
        yield RULE.at(
            address,
            "SLURM_LAUNCH_NODE_IPADDR is not set in the batch script, only for srun's tasks"
            if early
            else "SLURM_LAUNCH_NODE_IPADDR is the machine where srun was typed",
            severity=ERROR if early else WARNING,
            cause="The address is empty there: the launcher stops, or dials its own machine."
            if early
            else "If that is the login node, nobody listens there and the job times out.",
        )
    elif not launch.is_multinode:
        return
    elif isinstance(value, Variable) and value.name in _SUBMITTED_ON:
        yield RULE.at(
            address,
            f"{value.name} is the machine where the job was submitted, not a node of it",
            cause="Nobody listens on the login node, and the job times out.",
        )
    elif not isinstance(value, Computed):
        return
    elif value.idiom == "submit-host":
        yield RULE.at(
            address,
            f"{value.text} is filled in where the job is submitted, not on a node of it",
            cause="Nobody listens on the login node, and the job times out.",
        )
    elif value.idiom == "localhost-fallback":
        yield RULE.at(
            address,
            "where scontrol is missing, every node falls back to itself",
            cause="Inside a container without Slurm's commands each node waits for itself.",
        )
