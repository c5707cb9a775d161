"""An environment variable set to nothing where that is no way of leaving it unset.

## What it flags

`MASTER_PORT=`, `NNODES=`, `NODE_RANK=` or `NPROC_PER_NODE=` for LLaMA-Factory or ms-swift, empty
`MASTER_PORT` for a program that reads it itself, and empty `PET_` switches for torchrun. Variables
of NCCL are left alone: it takes an empty number for none.

## Why it fails

A default holds only for a variable that is not there. An empty one is read:

    ValueError: invalid literal for int() with base 10: ''
    torchrun: error: argument --master-port/--master_port: invalid int value: ''

## Example

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        environment:
          PET_STANDALONE: ""
        command: torchrun --nproc_per_node=8 train.py

Repair: leave it out.

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        command: torchrun --nproc_per_node=8 train.py

## When to ignore it

When something fills the variable before the launcher reads it.

## References

- LLaMA-Factory `launcher.py`; PyTorch `torch/distributed/argparse_util.py`.
"""

from collections.abc import Callable, Iterator
from functools import cache

from cfglint.environment import variables as environment
from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Launch, Rule, Span, repair

RULE = Rule(
    code="ENV004",
    name="env-empty-value",
    severity=WARNING,
    summary="a variable set to nothing where the launcher reads a number",
    fix="safe",
    symptoms=(r"invalid literal for int\(\) with base 10: ''", r"invalid int value: ''"),
    yields_to=("RUN014",),
    cause="The launcher reads it: \"invalid literal for int() with base 10: ''\".",
    help="Leave it out: the default holds only for a variable that is not there.",
)
_NUMBERS = ("MASTER_PORT", "NNODES", "NODE_RANK", "NPROC_PER_NODE", "MAX_RESTARTS")
_READ = {
    "llamafactory": _NUMBERS,
    "swift": _NUMBERS,
    "python": ("MASTER_PORT", "WORLD_SIZE", "RANK"),
}


@cache
def _needs_value(launcher: str) -> Callable[[str], bool]:
    read = _READ.get(launcher, ())

    def needs_value(name: str) -> bool:
        known = environment.variable(name) if launcher == "torchrun" else None
        return name in read or (known is not None and known.empty == "error")

    return needs_value


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    for name, setting in launch.variables(_needs_value(launch.launcher)):
        if setting.text != "" or setting.key != name:
            continue
        start = setting.key_span.start if setting.key_span else setting.span.start
        yield RULE.finding(
            setting.document,
            Span(start, max(setting.span.end, start)),
            f"{name} is set, to nothing: {launch.launcher} reads a number there",
            fix=repair("leave it out", setting.remove(), safe=True),
        )
