"""A port from the last digits of a job id, which bash takes for an octal number.

## What it flags

`$((10000 + $(echo $SLURM_JOB_ID | tail -c 4)))` and relatives: digits cut from a job id in bash
arithmetic without `10#`, also by a variable that holds them (`S=${SLURM_JOB_ID: -4}`, then
`$((20000 + S))`). `expr` counts in decimal and is left alone.

## Why it fails

A number that begins with 0 is octal: `0123` is 83, and `0089` is an error. One job in ten is hit.

    bash: 10000 + 0089: value too great for base (error token is "0089")

## Example

    #!/bin/bash
    #SBATCH --nodes=1
    export MASTER_PORT=$((10000 + $(echo -n $SLURM_JOB_ID | tail -c 4)))
    torchrun --nproc_per_node=8 --master_port=$MASTER_PORT train.py

Repair: say that it is decimal.

    #!/bin/bash
    #SBATCH --nodes=1
    export MASTER_PORT=$((10000 + 10#$(echo -n $SLURM_JOB_ID | tail -c 4)))
    torchrun --nproc_per_node=8 --master_port=$MASTER_PORT train.py
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Computed, Finding, Fix, Launch, Rule, Setting, repair

RULE = Rule(
    code="PORT012",
    name="port-octal",
    severity=ERROR,
    summary="digits of a job id that bash takes for an octal number",
    fix="safe",
    symptoms=(r"value too great for base \(error token is \"(?P<value>\d+)\"\)",),
    cause='A job id that ends in 0089 stops the script: "value too great for base".',
    help="Write 10# before the digits.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A launch whose port is such a formula."""
    port = launch.port
    if port is None or not isinstance(port.value, Computed) or port.value.idiom != "octal":
        return
    yield RULE.at(
        port,
        "bash takes the last digits of the job id for an octal number",
        fix=_fix(port, port.value),
    )


def _fix(port: Setting, value: Computed) -> Fix | None:
    if not value.decimal:
        return None
    return repair("write 10# before the digits", port.write(Computed(value.decimal)), safe=True)
