"""A DeepSpeed config against the arguments of the Hugging Face trainer that reads it.

Source: transformers, integrations/deepspeed.py: `HfTrainerDeepSpeedConfig.fill_match`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cfglint.deepspeed import batch
from cfglint.deepspeed.config import AUTO, BATCH, DeepSpeedConfig
from cfglint.deepspeed.use import TrainerValue, Use
from cfglint.model.tree import target
from cfglint.releases.objection import Objection
from cfglint.releases.validate import spelled
from cfglint.rule import Related, repair
from cfglint.syntax import editing as edit


def objections(config: DeepSpeedConfig) -> Iterator[Objection]:
    """The values that the trainer compares with its own, and that differ."""
    uses = [use for use in config.uses if use.compares]
    for path, (argument, how) in config.trainer_keys.items() if uses else ():
        if how != "match":
            continue
        found = next((f for use in uses if (f := _mismatch(config, use, path, argument))), None)
        if found is not None:
            yield found


def _mismatch(config: DeepSpeedConfig, use: Use, path: str, argument: str) -> Objection | None:
    entry, value = config.entry(path), config.known(path)
    if entry is None or value is None or isinstance(value, str):
        return None  # a string never equals the trainer's number: ds-type
    name, theirs = _told(argument), None
    if path == BATCH[0]:
        name, theirs = _total(config, use)
    elif path == "scheduler.params.total_num_steps":
        name, theirs = "max_steps", _steps(use)
    elif "calculated" not in argument:
        theirs = theirs_of(use, argument)
    if theirs is None or value == theirs.value or (path in BATCH and _is_found(use)):
        return None
    if path == BATCH[0] and any(batch.objections(config)):
        return None
    label = name.removesuffix(" =")
    related = [Related(theirs.document, theirs.span, label)] if theirs.span else []
    shown = _shown(theirs.value)
    default = "" if theirs.span else " (its default)"
    where = f"{theirs.document.path}:" if theirs.span else f"{theirs.document.path} "
    if theirs.span:
        where += str(theirs.document.source.position(theirs.span.start)[0])
    return Objection(
        target(entry.value).span,
        f"{path} is {_shown(value)} here; {where.strip()} has {name} {shown}{default}",
        cause=f"The trainer stops: ds {path}={value} vs hf {_told(argument)}={theirs.value}.",
        fix=repair(
            'write "auto"',
            edit.set_value(config.document, target(entry.value), AUTO),
            safe=True,
        ),
        related=related,
    )


def _total(config: DeepSpeedConfig, use: Use) -> tuple[str, TrainerValue | None]:
    """The batch of all processes that the trainer calculates from its arguments, and how it is
    shown. A number of the config's own stands for an argument that is not shown: it has to equal
    it. Where the config gives all three numbers, it contradicts itself (ds-batch-mismatch)."""
    world = use.world_size
    names = ("per_device_train_batch_size", "gradient_accumulation_steps")
    given = [theirs_of(use, name) for name in names]
    counts = [g.value if g else config.known(key) for g, key in zip(given, BATCH[1:], strict=True)]
    first = next((g for g in given if g and g.span), None)
    ints = [c for c in (world, *counts) if isinstance(c, int) and not isinstance(c, bool) and c > 0]
    if first is None or len(ints) < 3:
        return "", None
    shown = f"{counts[0]} x {counts[1]} x {world} process{'es' * (world != 1)} ="
    product = ints[0] * ints[1] * ints[2]
    return shown, TrainerValue(product, first.document, first.span)


def _steps(use: Use) -> TrainerValue | None:
    """The steps of the training, where max_steps tells them."""
    found = theirs_of(use, "max_steps")
    return found if found and isinstance(found.value, int) and found.value > 0 else None


def _is_found(use: Use) -> bool:
    """Whether the trainer looks for a batch size itself, and so compares none."""
    finds = use.argument("auto_find_batch_size")
    return finds is not None and finds.value is not False


def _told(argument: str) -> str:
    """The trainer's name of its side of a comparison."""
    return argument.partition("|")[0].replace("+", ", ")


def theirs_of(use: Use, argument: str) -> TrainerValue | None:
    """The trainer's value: one argument, one of several that switch the same, or a list of two."""
    if "+" in argument:
        parts = [use.argument(name) for name in argument.split("+")]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        return TrainerValue([p.value for p in known], known[0].document, known[0].span)
    if "|" in argument:
        flags = [use.argument(name) for name in argument.split("|")]
        for flag in flags:
            if flag is not None and flag.value is True:
                return flag
        if flags[0] is None:  # the trainer refuses both together: one given is the other not
            other = use.argument({"fp16": "bf16", "bf16": "fp16"}.get(argument.split("|")[0], ""))
            on = other is not None and other.value is True
            return TrainerValue(False, other.document, other.span) if other and on else None
        return flags[0] if flags[0].value is False else None
    found = use.argument(argument)
    if found is None or isinstance(found.value, str):
        return None
    if argument == "warmup_steps":  # 0 leaves it to warmup_ratio; a fraction is one itself
        return found if isinstance(found.value, int) and found.value > 0 else None
    return found


def _shown(value: Any) -> str:
    return spelled(value) if not isinstance(value, float) else f"{value:g}"
