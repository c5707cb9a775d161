"""A batch script ends before the job that it has started in the background.

## What it flags

`srun ... &` or `torchrun ... &` in a batch script behind which the script is over: no `wait`, no
other command than `echo` and the like. In a loop over nodes, in a function, and in a script that
another one hands to `sbatch`, too. A script that waits in some way (`wait`, `swait`, a trap, another
step in the foreground, `sleep`), or that runs a command of which nothing is known, is left alone;
so is what Docker, another machine, a terminal of its own or `setsid` runs.

## Why it fails

When the batch script ends, Slurm ends the job: its nodes are released, its steps and whatever the
script has started itself are killed, within seconds of their start (`nohup` does not help against
SIGKILL). sacct shows the job as COMPLETED.

    srun: Job step aborted: Waiting up to 32 seconds for job step to finish.
    slurmstepd: error: *** STEP 4711.0 ON node1 CANCELLED AT 2025-03-02T10:11:12 ***

## Example

    #!/bin/bash
    #SBATCH --nodes=2
    export NCCL_SOCKET_IFNAME=eth0
    HEAD=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
    for node in $(scontrol show hostnames "$SLURM_JOB_NODELIST"); do
        srun -N1 -n1 -w "$node" torchrun --nnodes=2 --rdzv_id=$SLURM_JOB_ID --rdzv_backend=c10d --rdzv_endpoint=$HEAD:29400 --nproc_per_node=8 train.py &
    done

Repair: wait for what runs in the background.

    #!/bin/bash
    #SBATCH --nodes=2
    export NCCL_SOCKET_IFNAME=eth0
    HEAD=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
    for node in $(scontrol show hostnames "$SLURM_JOB_NODELIST"); do
        srun -N1 -n1 -w "$node" torchrun --nnodes=2 --rdzv_id=$SLURM_JOB_ID --rdzv_backend=c10d --rdzv_endpoint=$HEAD:29400 --nproc_per_node=8 train.py &
    done
    wait

## References

- Slurm FAQ: a step in the background is purged when the script exits. slurmstepd, mgr.c: SIGKILL for
  the other processes of the script.
"""

from collections.abc import Iterator

from cfglint.jobs.batch_end import all_left
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Related, Rule, Span, repair

RULE = Rule(
    code="SLURM002",
    name="batch-script-ends",
    severity=ERROR,
    summary="a batch script ends before the job that it has started in the background",
    fix="safe",
    unsafe_too=True,
    kinds=("slurm", "script"),
    symptoms=(
        r"srun: Job step aborted: Waiting up to \d+ seconds for job step to finish",
        r"slurmstepd: error: \*\*\* STEP \S+ ON \S+ CANCELLED AT",
    ),
    cause="Slurm ends the job with its batch script and kills what it runs, seconds after the start.",
    help="End the script with wait.",
)


def check_project(project: Project) -> Iterator[Finding]:
    """The last job of each batch script: one `wait` below it is for all."""
    for left in all_left(project.launches):
        launch, command = left.launch, left.command
        own = command.script.document is launch.started_in  # others may run an inner script, too
        yield RULE.finding(
            launch.started_in,
            _place(launch),
            "nothing waits for this: the batch script ends, and the job with it",
            fix=repair("wait for it", left.wait_below(), safe=own),
            related=[
                Related(other.started_in, _place(other), "nor for this")
                for other in left.others
                if _place(other) != _place(launch)
            ],
        )


def _place(launch: Launch) -> Span:
    return launch.started_at if launch.is_started else launch.span
