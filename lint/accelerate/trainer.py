"""What an accelerate config says of DeepSpeed, against the arguments of the trainer that it starts.

Source: transformers, training_args.py (the plugin from accelerate's variables) and
integrations/deepspeed.py: `propagate_args_to_deepspeed`; run with transformers 5.24.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cfglint.accelerate.config import AccelerateConfig
from cfglint.deepspeed.trainer import theirs_of
from cfglint.deepspeed.use import TrainerValue, Use, by_accelerate
from cfglint.model.tree import Entry
from cfglint.project import Project
from cfglint.releases.objection import Objection
from cfglint.rule import Related, repair
from cfglint.syntax import editing as edit

_NUMBERS = (
    ("gradient_accumulation_steps", "gradient_accumulation_steps"),
    ("gradient_clipping", "max_grad_norm"),
)


def objections(config: AccelerateConfig, project: Project) -> Iterator[Objection]:
    """The values that the trainer compares with its own, and that differ."""
    section = "deepspeed_config"
    entries = {key: config.entry(section, key) for key, _ in _NUMBERS}
    precision = config.entry("", "mixed_precision")
    for launch in project.users(config.document):
        use = by_accelerate(launch, config.document, config.root.span, project)
        given = launch.command.given if launch.command is not None else {}
        if not use.compares or use.argument("deepspeed") is not None:
            continue  # or the trainer reads a file of its own
        for key, argument in _NUMBERS:
            entry, theirs = entries[key], theirs_of(use, argument)
            ours = _number(config.value(section, key))
            if entry is None or key in given or theirs is None or not ours:
                continue
            if ours != _number(theirs.value):
                yield _differs(config, entry, f"{key} is {ours:g}", argument, theirs, True)
                entries[key] = None
        name = config.value("", "mixed_precision")
        if precision is not None and "mixed_precision" not in given and _is_off(use, name):
            theirs = theirs_of(use, name)
            if theirs is not None:
                said = f"mixed_precision is {name}"
                yield _differs(config, precision, said, name, theirs, False)
                precision = None


def _number(value: Any) -> float | None:
    try:
        return None if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return None


def _is_off(use: Use, name: Any) -> bool:
    """Whether the trainer is known to train in full precision: either of its own words for the
    other one would count instead."""
    if name not in ("fp16", "bf16"):
        return False
    asked = [use.argument(word) for word in ("fp16", "bf16", f"{name}_full_eval")]
    return all(one is not None and one.value is False for one in asked)


def _differs(
    config: AccelerateConfig, entry: Entry, said: str, name: str, theirs: TrainerValue, fill: bool
) -> Objection:
    where, related = f"{theirs.document.path} has {name} {theirs.value} (its default)", []
    if theirs.span is not None:
        line = theirs.document.source.position(theirs.span.start)[0]
        where = f"{theirs.document.path}:{line} has {name} {theirs.value}"
        related = [Related(theirs.document, theirs.span, name)]
    change = edit.set_value(config.document, entry.value, "auto") if fill else None
    return Objection(
        entry.value.span,
        f"{said} here; {where}",
        help="Write auto: the trainer fills in its own value." if fill else f"Give it {name}, too.",
        fix=repair("write auto, which only the trainer fills in", change) if fill else None,
        related=related,
    )
