"""Options that the launcher refuses to take together.

## What it flags

- `deepspeed`: `--include` or `--exclude` beside `--num_gpus` or `--num_nodes`, and both of them
  together.
- `torchrun`: `--module` with `--no_python`.

What `accelerate launch` refuses is ACC's to say.

## Why it fails

    ValueError: Cannot specify num_nodes/gpus with include/exclude
    ValueError: include_str and exclude_str are mutually exclusive.
    ValueError: Don't use both the '--no_python' flag and the '--module' flag at the same time.

## Example

    deepspeed --include localhost:2,3 --num_gpus 2 train.py

Repair: one of them.

    deepspeed --include localhost:2,3 train.py
"""

import re
from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Fix, Launch, Rule, Setting, repair

RULE = Rule(
    code="RUN015",
    name="launcher-options-conflict",
    severity=ERROR,
    summary="options that the launcher refuses to take together",
    fix="unsafe",
    symptoms=(
        r"Cannot specify num_nodes/gpus with include/exclude",
        r"include_str and exclude_str are mutually exclusive",
        r"Don't use both the '--no_python' flag and the '--module' flag",
    ),
    help="Leave one of them out.",
)
_PAIRS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "deepspeed": (
        ("include", "exclude", "include_str and exclude_str are mutually exclusive."),
        ("include", "num_gpus", "Cannot specify num_nodes/gpus with include/exclude."),
        ("include", "num_nodes", "Cannot specify num_nodes/gpus with include/exclude."),
        ("exclude", "num_gpus", "Cannot specify num_nodes/gpus with include/exclude."),
        ("exclude", "num_nodes", "Cannot specify num_nodes/gpus with include/exclude."),
    ),
    "torchrun": (
        ("module", "no_python", "Don't use both the '--no_python' and the '--module' flag."),
    ),
}


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The options of one command."""
    command = launch.command
    if command is None:
        return
    given = command.given
    for first, second, refusal in _PAIRS.get(launch.launcher, ()):
        if first in given and second in given:
            yield _finding(launch, given[second], given[first], refusal)
            return


def _finding(launch: Launch, at: Setting, beside: Setting, refusal: str) -> Finding:
    return RULE.finding(
        launch.document,
        at.key_span or at.span,
        f"{launch.launcher} refuses {at.key} beside {beside.key}",
        cause=f'It stops: "{refusal}"',
        fix=_fix(launch, at, beside),
    )


def _fix(launch: Launch, at: Setting, beside: Setting) -> Fix | None:
    """Without the number, where the list of this machine's GPUs has as many."""
    listed = re.fullmatch(r"localhost:(\d+(?:,\d+)*)", beside.text or "")
    if listed is None or at.number != (1 if at.key == "--num_nodes" else listed[1].count(",") + 1):
        return None
    return repair(f"leave {at.key} out", at.remove())
