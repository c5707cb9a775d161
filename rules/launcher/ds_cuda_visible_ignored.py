"""CUDA_VISIBLE_DEVICES set for a deepspeed command that chooses GPUs itself.

## What it flags

`CUDA_VISIBLE_DEVICES` in the environment of a `deepspeed` command with `--num_gpus`, `--num_nodes`,
`--include`, `--exclude` or a hostfile. Alone it is honoured.

## Why it fails

With one of these options the launcher counts from GPU 0 and sets the variable anew, without a word
in the log: two jobs that were meant for different GPUs meet on GPU 0.

    torch.OutOfMemoryError: CUDA out of memory.

## Example

    export CUDA_VISIBLE_DEVICES=2,3
    deepspeed --num_gpus 2 train.py

Repair: say which GPUs with --include.

    deepspeed --include localhost:2,3 train.py
"""

import re
from collections.abc import Iterator

from cfglint.jobs.elsewhere import goes_to_others
from cfglint.model.commandline import CommandLine
from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Fix, Launch, Rule, Setting, repair

RULE = Rule(
    code="RUN008",
    name="ds-cuda-visible-ignored",
    severity=WARNING,
    summary="CUDA_VISIBLE_DEVICES beside options with which deepspeed ignores it",
    fix="unsafe",
    symptoms=(r"CUDA out of memory", r"invalid device ordinal"),
    cause="The launcher counts GPUs from 0 and overwrites the variable.",
    help="Name the GPUs with --include localhost:2,3 and leave the variable out.",
)
_CHOOSING = ("num_gpus", "num_nodes", "include", "exclude", "hostfile")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A deepspeed command with both."""
    command = launch.command
    if launch.launcher != "deepspeed" or command is None:
        return
    through = launch.get("launcher")
    if through is not None and (through.text or "").lower() != "pdsh":
        return  # srun or mpirun starts the processes then, and leaves the variable alone
    variable = launch.env.get("CUDA_VISIBLE_DEVICES")
    if variable is None or not variable.text:
        return
    given = [option for option in _CHOOSING if option in command.given]
    if not given:
        return
    if "exclude" not in given and _is_what_it_takes(variable, command):
        return
    option = command.given[given[0]]
    shared = goes_to_others(project, launch, variable)
    fix = None if shared else _fix(launch, variable, given)
    yield RULE.finding(
        launch.document,
        launch.span,
        f"CUDA_VISIBLE_DEVICES={variable.text} is ignored beside {option.key}",
        fix=fix,
        no_fix="other commands may get the variable, too" if shared else "",
    )


def _is_what_it_takes(variable: Setting, command: CommandLine) -> bool:
    """Whether the variable names just the GPUs that the launcher takes anyway."""
    gpus = (variable.text or "").replace(" ", "").split(",")
    include, count = command.given.get("include"), command.given.get("num_gpus")
    if include is not None:
        host, colon, chosen = (include.text or "").partition(":")
        return bool(host and colon) and chosen.split(",") == gpus
    number = count.number if count is not None else None
    return number is not None and gpus == [str(n) for n in range(number)]


def _fix(launch: Launch, variable: Setting, given: list[str]) -> Fix | None:
    """`--include` with those GPUs, on one machine."""
    command = launch.command
    if command is None or {"exclude", "hostfile"} & set(given):
        return None
    if "include" in given:  # which says it all
        return repair("leave the variable out", variable.remove())
    nodes = command.given.get("num_nodes")
    if nodes is not None and nodes.text != "1":
        return None
    if (
        not re.fullmatch(r"\d+(?:,\d+)*", variable.text or "")
        or variable.document is not launch.document
    ):
        return None
    edits = [command.given[name].remove() for name in given]
    insert = command.insert("--include", f"localhost:{variable.text}")
    return repair("name the GPUs with --include", variable.remove(), insert, *edits)
