"""The batch sizes of a DeepSpeed config: what is not there, and what does not multiply.

Source: DeepSpeed, runtime/config.py: `_set_batch_related_parameters`, `_batch_assertion`.
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.deepspeed.config import ABSENT, AUTO, BATCH, DeepSpeedConfig
from cfglint.deepspeed.use import Use
from cfglint.model.edit import Fix
from cfglint.model.tree import target
from cfglint.releases.objection import Objection
from cfglint.rule import Related, repair
from cfglint.syntax import editing as edit

TOTAL, MICRO, STEPS = BATCH


def objections(config: DeepSpeedConfig) -> Iterator[Objection]:
    """What DeepSpeed objects to in the batch sizes."""
    total, micro, steps = (_count(config, key) for key in (TOTAL, MICRO, STEPS))
    if not config.has_batch_size:
        yield from _none(config)
    if total is None:
        return
    counted: list[Use | None] = [u for u in config.uses if _world(config, u)]
    for use in counted or [None]:
        found = _mismatch(config, total, micro, steps, use)
        if found is not None:
            yield found
            return
    for use in config.uses if micro and steps else ():
        found = _too_many(config, total, f"{micro} x {steps}", (micro or 1) * (steps or 1), use)
        if found is not None:
            yield found
            return


def _count(config: DeepSpeedConfig, key: str) -> int | None:
    value = config.number(key)
    return int(value) if value is not None and value == int(value) and value > 0 else None


def _world(config: DeepSpeedConfig, use: Use) -> int | None:
    """The data-parallel ranks of a use, None where they are not known."""
    split = config.known("sequence_parallel_size") or config.known("tensor_parallel.autotp_size")
    return None if split else use.data_parallel_size


def _mismatch(
    config: DeepSpeedConfig, total: int, micro: int | None, steps: int | None, use: Use | None
) -> Objection | None:
    world = _world(config, use) if use else None
    each = (micro or 1) * (steps or 1)
    if micro is None and config.is_auto(MICRO) and use is None:
        return None
    factors = [f"{micro}" if micro else "", f"{steps}" if steps else ""]
    if world is not None:
        factors.append(f"{world} processes")
    shown = " x ".join(f for f in factors if f)
    product = each * (world or 1)
    exact = micro is not None and steps is not None and world is not None
    if (total == product) if exact else (total % product == 0):
        return None
    if use is not None and total < product * 1 and not exact and world is None:
        return None
    what = f"{total} is not {shown} = {product}" if exact else f"{total} does not divide by {shown}"
    return _unequal(config, what, use)


def _too_many(
    config: DeepSpeedConfig, total: int, shown: str, each: int, use: Use
) -> Objection | None:
    """Ranks that the processes cannot be, however a model may be split over some of them."""
    world, ranks = use.world_size, total // each
    if _world(config, use) or not world or total % each or not ranks or not world % ranks:
        return None
    started = f"{world} process{'es' * (world > 1)}"
    return _unequal(config, f"{total} is {shown} x {ranks} ranks, which {started} cannot be", use)


def _unequal(config: DeepSpeedConfig, what: str, use: Use | None) -> Objection | None:
    entry = config.entry(TOTAL)
    if entry is None:
        return None
    related = [Related(use.document, use.span, "started here")] if use else []
    return Objection(
        target(entry.value).span,
        what,
        cause="DeepSpeed stops: train_batch_size is not equal to micro_batch_per_gpu *"
        " gradient_acc_step * world_size.",
        help="Give two of the three numbers; the third follows from them.",
        fix=_fix(config),
        related=related,
    )


def _fix(config: DeepSpeedConfig) -> Fix | None:
    entry = config.entry(TOTAL)
    if entry is None:
        return None
    if config.hf_use is not None or config.is_hf_style:
        value = edit.set_value(config.document, target(entry.value), AUTO)
        return repair('write "auto": the trainer calculates it', value)
    if config.value(MICRO) is ABSENT:
        return None
    return repair(
        "take train_batch_size out", edit.remove_entry(config.document, config.root, entry)
    )


def _none(config: DeepSpeedConfig) -> Iterator[Objection]:
    """Neither of the batch sizes: no reader fills in a key that is absent."""
    use = next(iter(config.uses), None)
    if not config.root.entries or any(f.near in (TOTAL, MICRO) for f in config.unknown()):
        return  # ds-unknown-key says that it is misspelt
    if config.is_the_programs or config.is_tuned:
        return
    if use is None and "template" in config.document.file.name:
        return  # somebody fills it in: a program, or who makes a config of a template
    if use is None:
        from cfglint.deepspeed.filled import gets_batch_sizes

        if gets_batch_sizes(config.document, config.project):
            return
    reader = f", and {use.reader} reads this file ({use.where})" if use else ""
    yield Objection(
        config.root.entries[0].key.span,
        f"neither {TOTAL} nor {MICRO} is given{reader}",
        cause="DeepSpeed stops: Either train_batch_size or train_micro_batch_size_per_gpu needs to"
        ' be provided. "auto" is filled in, a missing key is not.',
        help=f'Add "{MICRO}": "auto".' if config.hf_use else f"Add {MICRO}.",
        related=[Related(use.document, use.span, "named here")] if use else [],
    )
