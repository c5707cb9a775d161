"""A value that the launcher's option does not take.

## What it flags

A literal value of another type, or outside the choices, of an option of `torchrun`, `accelerate launch`
or `deepspeed`: words where a number belongs, a `--mixed_precision` that does not exist, an empty
value, `--nnodes` with its larger number first, a value that the next option is glued to
(`--rdzv_id=7--rdzv_backend=c10d`), an option where a value belongs (`--num_processes --multi_gpu`),
a misspelt `--rdzv_backend` or one of process groups (`nccl`), `--rdzv_conf` that is not `key=value`,
an `--rdzv_endpoint` without a port where the rendezvous is static.
Ports have rules of their own. A rendezvous that another package may register is left alone. What
somebody is to fill in (`--nnodes YOUR_NUM_NODES`) is a warning.

## Why it fails

    torchrun: error: argument --max-restarts/--max_restarts: invalid int value: 'three'
    accelerate: error: argument --mixed_precision: invalid choice: 'fp32' (choose from 'no', 'fp16', 'bf16', 'fp8')
    ValueError: Unsupported nproc_per_node value: eight
    ValueError: The rendezvous backend 'nccl' is not registered. Did you forget to call `register`?
    deepspeed: error: argument --num_gpus: expected one argument

## Example

    accelerate launch --num_processes 8 --mixed_precision fp32 train.py

Repair: one of its choices.

    accelerate launch --num_processes 8 --mixed_precision no train.py
"""

from collections.abc import Iterator

from cfglint.network import addresses
from cfglint.programs.option_values import Glued, Lacking, wrong_values
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Finding, Launch, Rule, repair

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
        r"The rendezvous backend '(?P<value>[^']*)' is not registered",
        r"The rendezvous configuration (?:option|string)",
        r"port is missing in endpoint: (?P<value>\S+)\.",
        r"error: argument (?P<value>--[\w-]+)[\w/, -]*: expected one argument",
    ),
    yields_to=("PORT004", "RUN014", "RUN020", "SYN007"),
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """Each option with a literal value."""
    for wrong in wrong_values(launch):
        if isinstance(wrong, Lacking):
            yield RULE.finding(
                launch.document,
                wrong.word.span,
                f"{wrong.word.text} is given no value: an option follows it",
                cause=f"{launch.launcher} stops before it starts anything.",
                help="Put the value behind it (an empty variable is none), or leave it out.",
            )
            continue
        setting = wrong.setting
        if isinstance(wrong, Glued):
            apart = f"put a blank in front of {wrong.option}"
            yield RULE.at(
                setting,
                f"{setting.key} takes all of {wrong.raw} for its value, {wrong.option} with it",
                cause=f"{wrong.option} is not read as an option.",
                help=f"Put a blank in front of {wrong.option}.",
                fix=repair(apart, wrong.apart, safe=True),
            )
            continue
        meant = setting.write(wrong.meant) if wrong.meant else None
        yield RULE.at(
            setting,
            f"{setting.key} does not take '{wrong.text}': {wrong.takes}"
            if wrong.text
            else f"{setting.key} is empty here",
            severity=WARNING if addresses.is_placeholder(wrong.text) else ERROR,
            cause=f"{launch.launcher} stops before it starts anything.",
            help=f"It takes {wrong.takes}.",
            fix=repair(f"write {wrong.meant}", meant, safe=True),
        )
