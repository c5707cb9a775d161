"""A value that the launcher's option does not take.

## What it flags

A literal value of another type, or outside the choices, of an option of `torchrun`, `accelerate launch`
or `deepspeed`: words where a number belongs, a `--mixed_precision` that does not exist, an empty
value, `--nnodes` with its larger number first, a value that the next option is glued to
(`--rdzv_id=7--rdzv_backend=c10d`). Ports have rules of their own.

## Why it fails

    torchrun: error: argument --max-restarts/--max_restarts: invalid int value: 'three'
    accelerate: error: argument --mixed_precision: invalid choice: 'fp32' (choose from 'no', 'fp16', 'bf16', 'fp8')
    ValueError: Unsupported nproc_per_node value: eight

## Example

    accelerate launch --num_processes 8 --mixed_precision fp32 train.py

Repair: one of its choices.

    accelerate launch --num_processes 8 --mixed_precision no train.py
"""

import re
from collections.abc import Iterator

from cfglint.model.commandline import glued
from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    Edit,
    Finding,
    Fix,
    Launch,
    Rule,
    Setting,
    Span,
    near,
    parse_int,
    repair,
)

RULE = Rule(
    code="RUN016",
    name="launcher-option-value",
    severity=ERROR,
    summary="a value that the launcher's option does not take",
    fix="safe",
    symptoms=(
        r"error: argument --[\w/, -]+: invalid (?:int|float) value: '(?P<value>[^']*)'",
        r"error: argument --[\w/, -]+: invalid choice: '(?P<value>[^']*)'",
        r"Unsupported nproc_per_node value: (?P<value>\S+)",
    ),
    yields_to=("PORT004", "RUN014", "RUN020"),
)
_SHELLS = ("script", "slurm")
_DEVICES = ("auto", "cpu", "gpu", "xpu")


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """Each option with a literal value."""
    command = launch.command
    if command is None:
        return
    for name, setting in command.given.items():
        text, raw = setting.text, setting.document.source.slice(setting.span)
        if name not in command.valued:
            continue
        if "pdsh" in launch.wrappers and text in ("%n", "%h", "%u"):
            continue  # pdsh fills in the number and name of the host, and the user
        option = glued(command.spellings, raw)
        if option is not None:
            at = setting.span.start + raw.index(option)
            apart = Edit(setting.document.path, Span(at, at), " ")
            shell = setting.document.kind in _SHELLS
            yield RULE.at(
                setting,
                f"{setting.key} takes all of {raw} for its value, {option} with it",
                cause=f"{option} is not read as an option.",
                help=f"Put a blank in front of {option}.",
                fix=repair(
                    f"put a blank in front of {option}", apart if shell else None, safe=True
                ),
            )
            continue
        if text is None:
            continue
        wrong = _wrong(launch, name, text, command.takes(name))
        if wrong is not None:
            yield RULE.at(
                setting,
                f"{setting.key} does not take '{text}': {wrong}",
                cause=f"{launch.launcher} stops before it starts anything.",
                help=f"It takes {wrong}.",
                fix=_fix(setting, text, command.takes(name)[1]),
            )


def _wrong(launch: Launch, name: str, text: str, takes: tuple[str, tuple[str, ...]]) -> str | None:
    """What the option takes instead, None where the value is right."""
    kind, choices = takes
    if choices and text not in choices:
        return " or ".join([", ".join(choices[:-1]), choices[-1]]) if choices[1:] else choices[0]
    if kind == "int" and parse_int(text) is None:
        return "a whole number"
    if kind == "float" and not re.fullmatch(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", text):
        return "a number"
    if launch.launcher != "torchrun":
        return None
    if name == "nproc_per_node" and not text.isdigit() and text not in _DEVICES:
        return "a number, auto, cpu, gpu or xpu"
    if name == "nnodes":
        match = re.fullmatch(r"(\d+)(?::(\d+))?", text)
        if match is None:
            return "a number, or MIN:MAX"
        if int(match[1]) == 0 or (match[2] and int(match[2]) < int(match[1])):
            return "a number above 0, or MIN:MAX with the smaller one first"
    return None


def _fix(setting: Setting, text: str, choices: tuple[str, ...]) -> Fix | None:
    meant = near(text, list(choices)) if choices else None
    return repair(f"write {meant}", setting.write(meant), safe=True) if meant else None
