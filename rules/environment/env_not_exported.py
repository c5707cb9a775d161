"""A variable for the job that stays in the script's own shell.

## What it flags

`NAME=value` on a line of its own, without `export`, before a launcher, for a variable that NCCL,
torch or the launcher reads. Variables that the script itself uses (`$NAME`) are left alone.

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

from cfglint import environment
from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Launch, Rule, repair

RULE = Rule(
    code="ENV006",
    name="env-not-exported",
    severity=WARNING,
    summary="a variable for the job that is not exported",
    fix="safe",
    cause="The launcher and its processes do not get it: the setting has no effect.",
    help="Write export in front of it.",
)
# Read by the launchers that start torchrun by themselves, and by plain programs.
_LAUNCHER = ("MASTER_ADDR", "MASTER_PORT", "NNODES", "NODE_RANK", "NPROC_PER_NODE")
_READ = {
    "llamafactory": (*_LAUNCHER, "FORCE_TORCHRUN"),
    "swift": _LAUNCHER,
    "python": ("MASTER_ADDR", "MASTER_PORT"),  # of these torch reads no more
}
_LIBRARIES = ("NCCL_", "TORCH_", "GLOO_", "PET_", "CUDA_VISIBLE_DEVICES", "TP_", "UCX_")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    if launch.unexported is None:
        return
    read = _READ.get(launch.launcher, ())

    def wanted(name: str) -> bool:
        library = name.startswith(_LIBRARIES) and environment.variable(name) is not None
        return library or name in read

    for setting, edit in launch.unexported(wanted):
        name = setting.key or setting.name
        yield RULE.finding(
            setting.document,
            setting.key_span or setting.span,
            f"{name} stays in this shell: {launch.launcher} does not get it",
            fix=repair(f"export {name}", edit, safe=True),
        )
