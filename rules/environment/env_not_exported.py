"""A variable for the job that stays in the script's own shell.

## What it flags

`NAME=value` on a line of its own, without `export`, before a launcher, for a variable that NCCL,
torch or the launcher reads. Variables that the script itself uses (`$NAME`) are left alone, and
CUDA_VISIBLE_DEVICES in a batch script, which Slurm exports. Also `export` alone in a line of a
recipe, behind a notebook's `!`, in a step of a workflow, or in a RUN of a Dockerfile: each is a
shell of its own, which ends before the launcher starts. It is an error where the job over several machines cannot start without
the variable: LLaMA-Factory's MASTER_ADDR, MASTER_PORT and NODE_RANK, torchrun's PET_MASTER_ADDR and
PET_NODE_RANK.

## Why it fails

Without `export` a variable is the shell's own. The launcher and its processes do not get it, and
the setting has no effect:

    NCCL_SOCKET_IFNAME=eth0        # no process sees this
    torchrun ...

## Example

    #!/bin/bash
    NCCL_DEBUG=WARN
    torchrun --standalone --nproc_per_node=8 train.py

Repair: export it.

    #!/bin/bash
    export NCCL_DEBUG=WARN
    torchrun --standalone --nproc_per_node=8 train.py

## When to ignore it

When the file is sourced by a shell that exports everything (`set -a`).

## References

- bash: export, set -a.
"""

from collections.abc import Iterator

from cfglint.environment import needed
from cfglint.environment.lost import lost_exports, lost_in_image
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Launch, Rule, repair

RULE = Rule(
    code="ENV006",
    name="env-not-exported",
    severity=WARNING,
    summary="a variable for the job that is not exported",
    fix="safe",
    unsafe_too=True,
    cause="The launcher and its processes do not get it: the setting has no effect.",
    help="Write export in front of it.",
)
_HELP = {
    "makefile": "Join the lines with && and a backslash, or export it at the top of the Makefile.",
    "justfile": "Join the lines with && and a backslash, or export it at the top of the justfile.",
    "notebook": "Write %env NAME=value, which holds for all cells.",
    "workflow": "Put it under env: of the job, or into $GITHUB_ENV.",
}


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """What a shell exports that ends before the launcher starts."""
    for lost in lost_exports(document):
        setting, launch = lost.setting, lost.launch
        name = setting.key or setting.name
        if not needed.read_by(launch.launcher)(name):
            continue
        title = "set it for all cells: %env" if document.kind == "notebook" else "join the lines"
        yield RULE.finding(
            document,
            setting.key_span or setting.span,
            f"{name} ends with the shell of this line: {launch.launcher} does not get it",
            help=_HELP.get(document.kind or ""),
            fix=repair(title, lost.edit),
        )

    for one in lost_in_image(document):
        if needed.read_by("torchrun")(one.name):
            yield RULE.finding(
                document,
                one.span,
                f"{one.name} ends with the shell of this RUN: no container of the image gets it",
                help="Set it with ENV.",
                fix=repair("set it with ENV", one.edit),
            )


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    if launch.unexported is None:
        return
    stopping = needed.stopping(launch)
    in_batch = launch.document.kind == "slurm" or "sbatch" in launch.wrappers
    for setting, edit in launch.unexported(needed.read_by(launch.launcher)):
        name = setting.key or setting.name
        if name == "CUDA_VISIBLE_DEVICES" and in_batch:
            continue  # Slurm exports it, with the GPUs that the job is given
        yield RULE.finding(
            setting.document,
            setting.key_span or setting.span,
            f"{name} stays in this shell: {launch.launcher} does not get it",
            severity=ERROR if name in stopping and not needed.is_default(setting) else None,
            cause=stopping.get(name),
            fix=repair(f"export {name}", edit, safe=True),
        )
