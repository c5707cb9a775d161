"""A job over several nodes is started on the first one only.

## What it flags

An sbatch script with `--nodes` above one whose body starts a launcher for several nodes directly,
with no srun (or mpirun, ssh, pdsh) anywhere that would start it on the others; also one that a
script submits by `sbatch --wrap` or a here-document.

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

import re
from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    Edit,
    Finding,
    Fix,
    Launch,
    Related,
    Rule,
    Span,
    Word,
    default_int,
    repair,
)

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
_LAUNCHERS = ("torchrun", "accelerate", "llamafactory", "swift")  # deepspeed dials the nodes itself


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A launcher in the body of a batch script."""
    if launch.launcher not in _LAUNCHERS:
        return
    given, asked = launch.get("nnodes"), launch.allocated
    allocated = default_int(asked.value) if asked is not None else None
    if asked is None or given is None or (allocated or 0) < 2 or launch.machines() != allocated:
        return
    if _dials_itself(launch) or not launch.is_on_first_node:
        return
    yield RULE.finding(
        launch.document,
        launch.span,
        f"this starts on the first node only; the job waits for {allocated} nodes",
        fix=_fix(launch),
        related=[Related(asked.document, asked.span, "the nodes of the allocation")],
    )


def _fix(launch: Launch) -> Fix | None:
    """srun in front, where the nodes need no number: what the batch script fills in is rank 0."""
    if launch.is_static or launch.get("node_rank") is not None or not launch.flow:
        return None
    command, at = launch.flow[0], launch.span.start
    first = command.words[0]
    inside = command.span.start <= at < command.span.end
    if inside is (first.text is None) or not (inside or _is_variable(first)):
        return None  # it comes out of a variable that something else starts
    if first.text not in ("sbatch", "exec", "time"):
        at = first.span.start
    srun = "srun " if launch.step_tasks == 1 else "srun --ntasks-per-node=1 "
    return repair("start it on every node", Edit(launch.document.path, Span(at, at), srun))


def _is_variable(word: Word) -> bool:
    """Whether a word is nothing but a variable, or all words of an array."""
    return re.fullmatch(r"\$\w+|\$\{\w+\}|\"?\$\{\w+\[[@*]\]\}\"?", word.raw) is not None


def _dials_itself(launch: Launch) -> bool:
    """Whether accelerate hands over to DeepSpeed's launcher, which reaches the other nodes."""
    kind = launch.get("distributed_type")
    known = kind is not None and (kind.text or "").upper() != "DEEPSPEED"
    opaque = launch.get("config_file") is not None or any(
        r.role == "accelerate" for r in launch.configs
    )
    deepspeed = "use_deepspeed" in launch.settings or "hostfile" in launch.settings
    return launch.launcher == "accelerate" and not known and (opaque or deepspeed)
