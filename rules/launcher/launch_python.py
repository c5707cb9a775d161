"""`python` between the launcher and the script.

## What it flags

`accelerate launch python train.py`, `torchrun python train.py`, `deepspeed python train.py`, unless
`--no_python` is given.

## Why it fails

The launcher runs its program with Python itself and takes `python` for the script:

    python: can't open file '/app/python': [Errno 2] No such file or directory

## Example

    accelerate launch --num_processes 8 python train.py --lr 1e-4

Repair: the script alone.

    accelerate launch --num_processes 8 train.py --lr 1e-4
"""

import re
from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule, repair

RULE = Rule(
    code="RUN005",
    name="launch-python",
    severity=ERROR,
    summary="`python` between the launcher and the script",
    fix="safe",
    symptoms=(r"can't open file '.*python[\d.]*': \[Errno 2\] No such file or directory",),
    cause="The launcher takes `python` for the script: can't open file 'python'.",
    help="Leave `python` out: the launcher runs the script with it.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A launcher whose program is the interpreter."""
    program, command = launch.program, launch.command
    if program is None or program.word is None or command is None:
        return
    if not re.fullmatch(r"(?:.*/)?python[\d.]*", program.text) or program.kind == "module":
        return
    if "no_python" in command.given or not program.args:
        return
    first = program.args[0].text or ""
    plain = not first.startswith("-") or (first == "-m" and "module" not in command.given)
    fix = (
        repair(f"leave {program.text} out", program.word.place.remove(), safe=True)
        if plain
        else None
    )
    yield RULE.finding(
        launch.document,
        program.span,
        f"{launch.launcher} takes {program.text} for the script",
        fix=fix,
    )
