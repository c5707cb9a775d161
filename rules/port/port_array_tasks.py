"""All tasks of a job array get one port.

## What it flags

A port computed from `SLURM_ARRAY_JOB_ID` without the task's number.

## Why it fails

`SLURM_ARRAY_JOB_ID` is the same for every task of the array, `SLURM_JOB_ID` is not. Two tasks that
land on one node ask for the same port:

    The server socket has failed to listen on any local network address. port: 23456 ... EADDRINUSE

## Example

    #!/bin/bash
    #SBATCH --array=0-7
    export MASTER_PORT=$((20000 + SLURM_ARRAY_JOB_ID % 1000))
    torchrun --nproc_per_node=1 --master_port=$MASTER_PORT train.py

Repair: the id of the task's own job.

    #!/bin/bash
    #SBATCH --array=0-7
    export MASTER_PORT=$((20000 + SLURM_JOB_ID % 1000))
    torchrun --nproc_per_node=1 --master_port=$MASTER_PORT train.py
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import WARNING, Computed, Finding, Launch, Rule, repair

RULE = Rule(
    code="PORT013",
    name="port-array-tasks",
    severity=WARNING,
    summary="all tasks of a job array get one port",
    fix="unsafe",
    symptoms=(r"EADDRINUSE", r"[Aa]ddress already in use"),
    cause="Two tasks of the array on one node ask for the same port: EADDRINUSE.",
    help="Compute the port from SLURM_JOB_ID, which differs from task to task.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A launch whose port comes from the array's id."""
    port = launch.port
    if port is None or not isinstance(port.value, Computed):
        return
    text = port.value.text
    if "SLURM_ARRAY_JOB_ID" not in text or "SLURM_ARRAY_TASK_ID" in text:
        return
    new = text.replace("SLURM_ARRAY_JOB_ID", "SLURM_JOB_ID")
    yield RULE.at(
        port,
        "SLURM_ARRAY_JOB_ID is the same for all tasks of the array",
        fix=repair("compute it from SLURM_JOB_ID", port.write(Computed(new))),
    )
