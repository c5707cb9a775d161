"""Keys of a DeepSpeed config that newer releases have removed or renamed.

Sources: DeepSpeed, runtime/config.py (`_reject_removed_config_keys`), the deprecated fields of
runtime/zero/config.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from cfglint.deepspeed.config import ABSENT, DeepSpeedConfig
from cfglint.model.edit import Fix
from cfglint.model.tree import Entry, Mapping, target
from cfglint.releases.data import Section
from cfglint.releases.objection import Objection
from cfglint.releases.validate import Fault
from cfglint.rule import ERROR, INFO, WARNING, Related, repair
from cfglint.syntax import editing as edit

OFFLOADS = {"cpu_offload": "offload_optimizer", "cpu_offload_param": "offload_param"}


def objections(config: DeepSpeedConfig) -> Iterator[Objection]:
    """What the deployed release objects to in a config that was written for an older one."""
    yield from _removed(config)
    yield from _deprecated(config)
    yield from _renamed(config)


def twice(config: DeepSpeedConfig) -> Iterator[Objection]:
    """The settings that stand under an old name and the new one, or under two of their names."""
    known: list[str] = config.project.fact(
        ("named twice", config.release.version), _candidates(config)
    )
    for name in known:
        if name and name.partition(".")[0] not in config.root:
            continue
        section, mapping = config.section(name), config.mapping(name)
        if section is not None and mapping is not None:
            yield from _twice(config, section, mapping)


def _removed(config: DeepSpeedConfig) -> Iterator[Objection]:
    for fault in config.faults:
        if fault.kind != "refused" or fault.entry is None:
            continue
        may_take = config.may_take(fault.section.name, fault.key)
        uncertain = not config.version.pinned and may_take
        off = _is_off(fault.value)
        fix = _without(config, fault.section.name, fault.entry, "is switched off") if off else None
        yield Objection(
            fault.entry.key.span,
            f"{fault.path} was removed from DeepSpeed, and is refused"
            + (" even switched off" if off else "")
            + f" ({config.judged_by})",
            severity=WARNING if uncertain else ERROR,
            cause=f'DeepSpeed stops with "DeepSpeedConfigError: ... {fault.key} ... removed".',
            help="Take it out." if off else "Take it out, or stay with an older DeepSpeed.",
            fix=fix,
        )


def _is_off(value: Any) -> bool:
    if isinstance(value, dict):
        return value.get("enabled", False) is False and not any(
            isinstance(v, dict) for v in value.values()
        )
    return value in (False, None, -1) and value is not True


def _without(config: DeepSpeedConfig, section: str, entry: Entry, why: str) -> Fix | None:
    mapping = config.mapping(section)
    if mapping is None:
        return None
    removal = edit.remove_entry(config.document, mapping, entry)
    return repair(f"take out {entry.name}, which {why}", removal, safe=True)


def _deprecated(config: DeepSpeedConfig) -> Iterator[Objection]:
    whole, mapping = config.entry("zero_optimization"), config.mapping("zero_optimization")
    if whole and not mapping and isinstance(config.value("zero_optimization"), bool):
        stage = int(config.value("zero_optimization"))
        node = target(whole.value)
        yield Objection(
            node.span,
            f"zero_optimization as a truth value is an old form of stage {stage}",
            cause="DeepSpeed warns that this format is deprecated.",
            fix=repair(
                f"write stage {stage}",
                edit.set_value(config.document, node, {"stage": stage}),
                safe=True,
            ),
        )
    section = config.section("zero_optimization")
    if mapping is None or section is None:
        return
    for name, entry in mapping.index.items():
        spec = section.spec(name)
        if spec is None or not spec.deprecated or config.is_auto(f"zero_optimization.{name}"):
            continue
        new = section.canonical(spec.replaced_by or "")
        yield Objection(
            entry.key.span,
            f"{name} is an old name; it is {spec.replaced_by} now",
            cause=f"DeepSpeed warns: Config parameter {name} is deprecated.",
            help=f"Use {new}.",
            fix=_modern(config, mapping, entry, name, new),
        )


def _modern(
    config: DeepSpeedConfig, mapping: Mapping, entry: Entry, name: str, new: str
) -> Fix | None:
    value = config.flag(f"zero_optimization.{name}")
    if new in mapping or value is None:
        return None  # both at once: ds-key-twice
    if name in OFFLOADS:
        if OFFLOADS[name] in mapping:
            return None
        if not value:
            return _without(config, "zero_optimization", entry, "is off")
        section = OFFLOADS[name]
        if (config.stage or 0) < (3 if section == "offload_param" else 1):
            return None  # neither name has an effect at this stage
        return repair(
            f"use {section}",
            edit.set_value(config.document, target(entry.value), {"device": "cpu"}),
            edit.rename_key(config.document, entry, section),
            safe=True,
        )
    if name == "cpu_offload_use_pin_memory":
        return _without(config, "zero_optimization", entry, "has no effect any more")
    return repair(f"call it {new}", edit.rename_key(config.document, entry, new), safe=True)


def _renamed(config: DeepSpeedConfig) -> Iterator[Objection]:
    for fault in config.unknown():
        new = config.replacement(fault)
        if new is not None and fault.entry is not None:
            yield _not_read(config, fault, fault.entry, new)
    old = config.entry("bfloat16")
    if old is not None and config.value("bf16") is ABSENT:
        yield Objection(
            old.key.span,
            "bfloat16 is the old name of bf16",
            severity=INFO,
            cause="DeepSpeed still reads it; transformers and accelerate look for bf16 only.",
            help="Call it bf16.",
            fix=repair("call it bf16", edit.rename_key(config.document, old, "bf16"), safe=True),
        )


def _not_read(config: DeepSpeedConfig, fault: Fault, entry: Entry, new: str) -> Objection:
    spec = fault.section.keys[new]
    fits = new not in (config.mapping(fault.section.name) or ()) and not spec.fault(fault.value)
    renaming = edit.rename_key(config.document, entry, new) if fits else None
    return Objection(
        entry.key.span,
        f"{fault.path} is called {new} now; {config.last_known(fault)} was the last release"
        f" that read the old name ({config.judged_by})",
        cause="The old name is ignored without a word.",
        help=f"Call it {new}.",
        fix=repair(f"call it {new}", renaming, safe=True),
    )


# -- one setting under two names -------------------------------------------------------------------


def _candidates(config: DeepSpeedConfig) -> Callable[[], list[str]]:
    """The sections of the release that have keys with other names."""

    def find() -> list[str]:
        found = []
        for name in config.release.package.raw["sections"]:
            section = config.section(name)
            keys = section.keys.values() if section is not None and section.refuses else ()
            if any(spec.aliases or (spec.deprecated and spec.replaced_by) for spec in keys):
                found.append(name)
        return found

    return find


def _twice(config: DeepSpeedConfig, section: Section, mapping: Mapping) -> Iterator[Objection]:
    for key, spec in section.keys.items():
        for other in spec.aliases:
            if key in mapping and other in mapping:
                yield _second(config, mapping, mapping.index[other], mapping.index[key], "other")
        if spec.deprecated and spec.replaced_by and spec.raw.get("set_new", True):
            new = section.canonical(spec.replaced_by)
            newer = mapping.entry(new) or mapping.entry(spec.replaced_by)
            if key in mapping and newer is not None:
                yield _second(config, mapping, mapping.index[key], newer, "old")


def _second(
    config: DeepSpeedConfig, mapping: Mapping, worse: Entry, better: Entry, how: str
) -> Objection:
    return Objection(
        worse.key.span,
        f"{worse.name} is an{' old' if how == 'old' else 'other'} name of {better.name},"
        " which stands here too",
        cause='DeepSpeed stops with "Cannot provide deprecated parameter ... together".'
        if how == "old"
        else 'DeepSpeed stops with "Extra inputs are not permitted".',
        help=f"Keep {better.name}.",
        fix=repair(f"take out {worse.name}", edit.remove_entry(config.document, mapping, worse)),
        related=[Related(config.document, better.key.span, f"{better.name}")],
    )
