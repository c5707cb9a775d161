"""A variable that Slurm sets only where an option asks for it.

## What it flags

`$SLURM_GPUS_PER_NODE`, `$SLURM_GPUS_PER_TASK` or `$SLURM_NTASKS_PER_NODE` as a number of processes or
nodes in a batch script whose `#SBATCH` lines do not give `--gpus-per-node`, `--gpus-per-task` or
`--ntasks-per-node`; GPUs asked for with their type (`--gpus-per-node=a100:4`: the variable holds
`a100:4`), an error. It is silent where a default stands by (`${SLURM_GPUS_PER_NODE:-8}`), where the script
speaks of the option anywhere, and where another file names the script: it may be submitted with more
options.

## Why it fails

`--gres=gpu:4` does not set SLURM_GPUS_PER_NODE. The word is empty, and the launcher refuses it; in
arithmetic the shell does:

    ValueError: Unsupported nproc_per_node value:
    torchrun: error: argument --nproc-per-node/--nproc_per_node: expected one argument
    job.sh: line 6: 2 * : syntax error: operand expected (error token is "* ")

## Example

    #!/bin/bash
    #SBATCH --nodes=1
    #SBATCH --gres=gpu:4
    srun torchrun --standalone --nproc_per_node=$SLURM_GPUS_PER_NODE train.py

Repair: the variable that Slurm sets on each node, however the GPUs were asked for.

    #!/bin/bash
    #SBATCH --nodes=1
    #SBATCH --gres=gpu:4
    srun torchrun --standalone --nproc_per_node=$SLURM_GPUS_ON_NODE train.py

## When to ignore it

Where the job is always submitted with the option on sbatch's command line.

## References

Slurm, sbatch(1) and srun(1), output environment variables.
"""

from collections.abc import Iterator

from cfglint.jobs.unset import unset
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Launch, Rule, repair

RULE = Rule(
    code="SLURM003",
    name="slurm-variable-unset",
    severity=WARNING,
    summary="a variable that Slurm sets only where an option asks for it",
    fix="unsafe",
    kinds=("slurm",),
    symptoms=(
        r"Unsupported nproc_per_node value: (?P<value>\w*:?\d*)",
        r"syntax error: operand expected",
    ),
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A launch of a batch script."""
    for one in unset(launch, project):
        meant = one.setting.write(one.instead) if one.instead is not None else None
        yield RULE.at(
            one.setting,
            f"{one.name} holds {one.text}, which is no number"
            if one.text
            else f"{one.name} is set only where {one.option} is given, and this script does not",
            severity=ERROR if one.text else WARNING,
            cause="The launcher refuses it." if one.text else "It is empty then: the job stops.",
            help="Use $SLURM_GPUS_ON_NODE, or write the number."
            if "GPUS" in one.name
            else f"Give {one.option}, or write the number.",
            fix=repair("use $SLURM_GPUS_ON_NODE", meant),
        )
