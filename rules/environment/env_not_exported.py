"""A variable for the job that stays in the script's own shell.

## What it flags

`NAME=value` on a line of its own, without `export`, before a launcher, for a variable that NCCL,
torch or the launcher reads. Variables that the script itself uses (`$NAME`) are left alone. Also
`export` alone in a line of a recipe, behind a notebook's `!`, or in a step of a workflow: each is a
shell of its own, which ends before the launcher starts. It is an
error where the job over several machines cannot start without the variable: LLaMA-Factory's
MASTER_ADDR, MASTER_PORT and NODE_RANK, torchrun's PET_MASTER_ADDR and PET_NODE_RANK.

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

from collections.abc import Callable, Iterator
from functools import cache

from cfglint.environment import variables as environment
from cfglint.environment.lost import lost_exports
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Launch, Rule, Setting, repair

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
# Read by the launchers that start torchrun by themselves, and by plain programs.
_LAUNCHER = ("MASTER_ADDR", "MASTER_PORT", "NNODES", "NODE_RANK", "NPROC_PER_NODE")
_READ = {
    "llamafactory": (*_LAUNCHER, "FORCE_TORCHRUN"),
    "swift": _LAUNCHER,
    "python": ("MASTER_ADDR", "MASTER_PORT"),  # of these torch reads no more
}
_HELP = {
    "makefile": "Join the lines with && and a backslash, or export it at the top of the Makefile.",
    "justfile": "Join the lines with && and a backslash, or export it at the top of the justfile.",
    "notebook": "Write %env NAME=value, which holds for all cells.",
    "workflow": "Put it under env: of the job, or into $GITHUB_ENV.",
}
_LIBRARIES = ("NCCL_", "TORCH_", "GLOO_", "PET_", "CUDA_VISIBLE_DEVICES", "TP_", "UCX_")


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """What a shell exports that ends before the launcher starts."""
    for lost in lost_exports(document):
        setting, launch = lost.setting, lost.launch
        name = setting.key or setting.name
        if not _read_by(launch.launcher)(name):
            continue
        title = "set it for all cells: %env" if document.kind == "notebook" else "join the lines"
        yield RULE.finding(
            document,
            setting.key_span or setting.span,
            f"{name} ends with the shell of this line: {launch.launcher} does not get it",
            help=_HELP.get(document.kind or ""),
            fix=repair(title, lost.edit),
        )


@cache
def _read_by(launcher: str) -> Callable[[str], bool]:
    read = _READ.get(launcher, ())

    def is_read(name: str) -> bool:
        library = name.startswith(_LIBRARIES) and environment.variable(name) is not None
        return library or name in read

    return is_read


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    if launch.unexported is None:
        return
    stopping = _stopping(launch)
    for setting, edit in launch.unexported(_read_by(launch.launcher)):
        name = setting.key or setting.name
        yield RULE.finding(
            setting.document,
            setting.key_span or setting.span,
            f"{name} stays in this shell: {launch.launcher} does not get it",
            severity=ERROR if name in stopping and not _is_default(setting) else None,
            cause=stopping.get(name),
            fix=repair(f"export {name}", edit, safe=True),
        )


def _stopping(launch: Launch) -> dict[str, str]:
    """The variables without which a job over several machines does not start, and what happens.

    Sources: facts on LLaMA-Factory a, torchrun a (the defaults of both).
    """
    prefix = {"llamafactory": "", "torchrun": "PET_"}.get(launch.launcher)
    if prefix is None or not launch.complete or not launch.is_multinode:
        return {}
    if launch.network.mode == "pod" or launch.stays_on_one_host:
        return {}
    found = {}
    if launch.port is None and launch.launcher == "llamafactory":
        found["MASTER_PORT"] = "Each node picks another port, and all wait until they time out."
    if not launch.is_static:
        return found
    if launch.address is None and "rdzv_endpoint" not in launch.settings:
        found[f"{prefix}MASTER_ADDR"] = "The nodes dial 127.0.0.1: each waits 900 s for itself."
    if launch.get("node_rank") is None:
        found[f"{prefix}NODE_RANK"] = "Each node takes rank 0: the job never has all its nodes."
    return found


def _is_default(setting: Setting) -> bool:
    """Whether the launcher takes the same value without it."""
    return setting.text in ("0", "127.0.0.1", "localhost")
