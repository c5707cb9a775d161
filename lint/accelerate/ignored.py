"""What an accelerate config says in vain: keys and sections that no launch of it looks at.

Sources: facts on accelerate a2, a4, b1; commands/launch.py: `_validate_launch_command`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cfglint.accelerate.config import SECTION_OF, AccelerateConfig
from cfglint.model.tree import Entry, Mapping, target, to_data
from cfglint.record import dataclass

if TYPE_CHECKING:
    from cfglint.project import Project
    from cfglint.releases.validate import Fault

# Keys whose command-line default always wins, with the value that asks for nothing.
OPTION_WINS = {"rdzv_backend": "static", "enable_cpu_affinity": False, "tpu_use_sudo": False}
PARADIGMS = {"use_fsdp", "use_deepspeed", "use_megatron_lm", "multi_gpu"}


@dataclass(frozen=True)
class Ignored:
    """An entry without effect.

    `message` says what has none and why, `advice` what would have. `usual` says that
    `accelerate config` itself writes such keys, `better` is the name under which it is read.
    """

    entry: Entry
    message: str
    advice: str = ""
    usual: bool = False
    better: str = ""


def ignored(config: AccelerateConfig, project: Project) -> Iterator[Ignored]:
    """Everything without effect in a config whose distributed type is known."""
    yield from _sections(config, project)
    for fault in config.faults:
        is_nested = fault.kind == "unknown" and not fault.refused and not fault.near
        if is_nested and fault.entry and config.is_ignored(fault) and not config.life(fault):
            yield _unknown(config, fault, fault.entry)
    yield from _unread(config)
    yield from _beaten(config)


def _sections(config: AccelerateConfig, project: Project) -> Iterator[Ignored]:
    """Sections that this launch does not look at."""
    for name in config.sections:
        entry = config.root.index[name]
        if config.section(name) is None:
            continue
        if config.options(project) & PARADIGMS:
            return  # the command line decides, not the file
        value = target(entry.value)
        if value.entries == [] if isinstance(value, Mapping) else not to_data(value):
            continue
        if not config.reads_section(name):
            yield Ignored(entry, f"{name} is not read: {_reason(config, name)}")
        elif not isinstance(value, Mapping) and name != "deepspeed_config":
            yield Ignored(entry, f"{name} is no mapping: it is not read")


def _reason(config: AccelerateConfig, section: str) -> str:
    if section in SECTION_OF:
        return f"distributed_type is {config.type}, not {SECTION_OF[section]}"
    if section == "fp8_config":
        return "mixed_precision is not fp8"
    return f"a {config.type} launch does not use it"


def _unknown(config: AccelerateConfig, fault: Fault, entry: Entry) -> Ignored:
    section = fault.section.name
    places = [p for p in config.release.package.places(fault.key) if p != section]
    known = f"; it is a key of {places[0] or 'the top level'}" if places else ""
    advice = "Take it out, or say it where it is read."
    if section == "deepspeed_config":
        advice = "A key of DeepSpeed's belongs into the file that deepspeed_config_file names."
    return Ignored(entry, f"{section} has no key {fault.key!r}: it is ignored{known}", advice)


def _unread(config: AccelerateConfig) -> Iterator[Ignored]:
    """Known keys, of the sections in use, that nothing reads."""
    for name in config.sections:
        if not config.reads_section(name):
            continue
        section, mapping = config.section(name), config.mapping(name)
        for key, entry in mapping.index.items() if section and mapping else ():
            spec = section.spec(key) if section else None
            if spec is None or not spec.unread or to_data(entry.value) in (None, "none"):
                continue
            better, advice = spec.replaced_by or "", ""
            if better and section and mapping and better not in mapping:
                advice = f"It is called {better}."
                better = better if key in section.keys else better.removeprefix(section.prefix)
            elif mapping is not None and better in mapping:
                better, advice = "", f"Take it out: {better} is there."
            yield Ignored(entry, f"nothing reads {key} of {name}", advice, better=better)


def _beaten(config: AccelerateConfig) -> Iterator[Ignored]:
    """Top-level keys that always lose against the command line's own default."""
    for key, nothing in OPTION_WINS.items():
        entry = config.root.entry(key)
        value = to_data(entry.value) if entry else None
        if entry and value is not None and value != nothing:
            flag = f" {value}" if isinstance(value, str) else ""
            yield _option(entry, key, flag)
    entry = config.root.entry("downcast_bf16")
    if entry and str(to_data(entry.value)).lower() in ("true", "yes"):
        yield _option(entry, "downcast_bf16", "")


def _option(entry: Entry, key: str, flag: str) -> Ignored:
    advice = f"accelerate launch --{key}{flag} has."
    return Ignored(entry, f"{key} has no effect in a config file", advice, usual=True)
