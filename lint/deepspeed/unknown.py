"""Keys of a DeepSpeed config that its release knows nothing of: misplaced ones, and the rest."""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.deepspeed.config import FP16_ONLY, DeepSpeedConfig
from cfglint.model.edit import Fix
from cfglint.model.tree import Entry
from cfglint.releases.objection import Objection
from cfglint.releases.validate import Fault
from cfglint.rule import ERROR, WARNING, Severity, repair
from cfglint.syntax import editing as edit

# Keys of accelerate's deepspeed_config section, and what a DeepSpeed file has for them.
ACCELERATE = {
    "zero3_init_flag": "",
    "zero3_save_16bit_model": "zero_optimization.stage3_gather_16bit_weights_on_model_save",
    "zero_stage": "zero_optimization.stage",
    "offload_optimizer_device": "zero_optimization.offload_optimizer.device",
    "offload_param_device": "zero_optimization.offload_param.device",
    "deepspeed_config_file": "",
    "deepspeed_multinode_launcher": "",
    "deepspeed_hostfile": "",
    "distributed_type": "",
    "mixed_precision": "fp16 or bf16",
}
# Apex's, which older releases ignored there.
LEFTOVERS = ("fp16.opt_level",)


def misplaced(config: DeepSpeedConfig) -> Iterator[Objection]:
    """The keys that belong into another section, or into another file."""
    for fault in config.unknown():
        home = config.home(fault)
        if fault.key in FP16_ONLY and fault.section.name in ("bf16", "bfloat16"):
            continue  # ds-precision-conflict
        if home is not None:
            yield _elsewhere(config, fault, home)
        elif fault.key in ACCELERATE and not fault.section.refuses:
            yield _of_accelerate(config, fault)


def unknown(config: DeepSpeedConfig) -> Iterator[Objection]:
    """The keys that belong nowhere, as they stand."""
    for fault in config.unknown():
        if not _said_better(config, fault):
            yield _unknown(config, fault)


# -- misplaced -------------------------------------------------------------------------------------


def _elsewhere(config: DeepSpeedConfig, fault: Fault, home: str) -> Objection:
    assert fault.entry is not None
    here = f"inside {fault.section.name}" if fault.section.name else "at the top"
    belongs = f"inside {home}" if home else "at the top of the file"
    goal = config.mapping(home)
    if goal is not None and fault.key in goal and not fault.section.refuses:
        return _twice(config, fault, goal.index[fault.key], f"{home}.{fault.key}".lstrip("."), here)
    if fault.section.refuses:
        cause = 'DeepSpeed stops with "Extra inputs are not permitted".'
    else:
        cause = "DeepSpeed ignores it there without a word: the job runs as if it were not set."
    return Objection(
        fault.entry.key.span,
        f"{fault.key} stands {here}; it belongs {belongs}",
        cause=cause,
        help=f"Move it {'into ' + home if home else 'to the top of the file'}.",
        fix=_move(config, fault, home),
    )


def _twice(
    config: DeepSpeedConfig, fault: Fault, counting: Entry, path: str, here: str
) -> Objection:
    """A key that stands where it counts, and once more where it does not."""
    assert fault.entry is not None
    one, other = (config.document.source.slice(e.value.span) for e in (fault.entry, counting))
    origin = config.mapping(fault.section.name)
    out = None if origin is None else edit.remove_entry(config.document, origin, fault.entry)
    says = "" if one.split() == other.split() else ", and says something else"
    return Objection(
        fault.entry.key.span,
        f"{fault.key} stands {here} too, where nothing reads it; {path} counts{says}",
        severity=WARNING,
        cause="DeepSpeed ignores this one without a word.",
        help="Take this one out.",
        fix=None if out is None else repair("take it out", out, safe=not says),
    )


def _of_accelerate(config: DeepSpeedConfig, fault: Fault) -> Objection:
    assert fault.entry is not None
    instead = ACCELERATE[fault.key]
    return Objection(
        fault.entry.key.span,
        f"{fault.key} is a key of accelerate's own config; a DeepSpeed file has no such key",
        severity=WARNING,
        cause="DeepSpeed ignores it without a word.",
        help=f"Use {instead} here." if instead else "It belongs into the accelerate YAML.",
    )


def _move(config: DeepSpeedConfig, fault: Fault, home: str) -> Fix | None:
    """Out of the one place, into the other, where that exists and has no such key yet."""
    origin, goal = config.mapping(fault.section.name), config.mapping(home)
    section = config.section(home)
    if origin is None or goal is None or section is None or fault.entry is None:
        return None
    if section.keys[fault.key].fault(fault.value) is not None or fault.key in goal:
        return None
    if goal.start <= fault.entry.key.start < goal.end and home:
        return None
    return repair(
        f"move it {'into ' + home if home else 'to the top'}",
        edit.remove_entry(config.document, origin, fault.entry),
        edit.insert_entry(config.document, goal, fault.key, fault.value),
        safe=True,
    )


# -- unknown ---------------------------------------------------------------------------------------


def _said_better(config: DeepSpeedConfig, fault: Fault) -> bool:
    """Whether another rule of the family speaks of this key."""
    if config.home(fault) is not None or config.replacement(fault) is not None:
        return True
    is_bf16 = fault.section.name in ("bf16", "bfloat16")
    return (is_bf16 and fault.key in FP16_ONLY) or (
        not fault.section.name and fault.key.lower() == "nccl"
    )


def _unknown(config: DeepSpeedConfig, fault: Fault) -> Objection:
    assert fault.entry is not None
    section = fault.section.name
    where = f"in {section}" if section else "at the top"
    message = f"{fault.key} is no key that DeepSpeed reads {where}"
    first, last = config.first_known(fault), config.last_known(fault)
    if first and last:
        old = config.version.before(first)
        message += f": {first} is the first that does" if old else f": {last} was the last that did"
    if fault.near:
        message += f"; {fault.near} is"
    end = config.end(fault)
    if fault.section.refuses:
        cause = 'DeepSpeed stops with "Extra inputs are not permitted".'
    elif end:
        cause = f'It is ignored without a word, and then the run stops: "{end}"'
    else:
        cause = "It is ignored without a word, and the job trains without it."
    return Objection(
        fault.entry.key.span,
        f"{message} ({config.judged_by})",
        severity=_severity(config, fault),
        cause=cause,
        help=f"Call it {fault.near}." if fault.near else "Take it out.",
        fix=_mend(config, fault),
    )


def _severity(config: DeepSpeedConfig, fault: Fault) -> Severity:
    if not fault.section.refuses:
        return ERROR if config.end(fault) else WARNING
    uncertain = not config.version.pinned and config.may_take(fault.section.name, fault.key)
    return WARNING if uncertain else ERROR


def _mend(config: DeepSpeedConfig, fault: Fault) -> Fix | None:
    if fault.entry is None:
        return None
    mapping = config.mapping(fault.section.name)
    if fault.path in LEFTOVERS and mapping is not None:
        removal = edit.remove_entry(config.document, mapping, fault.entry)
        return repair(f"take {fault.key} out: it never did anything here", removal, safe=True)
    if fault.near is None:
        return None
    if fault.section.keys[fault.near].fault(fault.value) is not None:
        return None
    renaming = edit.rename_key(config.document, fault.entry, fault.near)
    return repair(f"call it {fault.near}", renaming, safe=True)
