"""FSDP in an accelerate config: what its version does not look at, and what it refuses.

Sources: accelerate, utils/launch.py: `prepare_multi_gpu_env`; utils/dataclasses.py:
`FullyShardedDataParallelPlugin`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cfglint.accelerate.config import AccelerateConfig
from cfglint.model.edit import Fix
from cfglint.model.tree import Entry, Mapping, to_data
from cfglint.releases.objection import Objection
from cfglint.rule import repair
from cfglint.syntax import editing as edit

if TYPE_CHECKING:
    from cfglint.project import Project

SECTION = "fsdp_config"
STRATEGIES = ("FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD", "HYBRID_SHARD", "HYBRID_SHARD_ZERO2")
RESHARDS = ("FULL_SHARD", "HYBRID_SHARD")
ONLY_FIRST = (
    "fsdp_backward_prefetch",
    "fsdp_forward_prefetch",
    "fsdp_use_orig_params",
    "fsdp_sync_module_states",
)
FULL = ("FULL_SHARD", "HYBRID_SHARD")


def unread(config: AccelerateConfig, project: Project) -> Iterator[Objection]:
    """The settings of the other FSDP version than the file's."""
    mapping = config.mapping(SECTION)
    if mapping is None or config.type != "FSDP":
        return
    if "fsdp_version" in config.options(project) or not config.release.package.life(
        SECTION, "fsdp_version"
    ):
        return
    if config.fsdp_version == 1:
        yield from _not_first(config, mapping)
    elif config.fsdp_version == 2:
        yield from _not_second(config, mapping)


def refused(config: AccelerateConfig) -> Iterator[Objection]:
    """The combinations that accelerate refuses, each at the key that breaks it."""
    if config.type != "FSDP" or config.mapping(SECTION) is None:
        return
    yield from _sync(config)
    yield from _offload(config)
    if config.fsdp_version == 2:
        yield from _second(config)
        yield from _unwrapped(config)


# -- not read --------------------------------------------------------------------------------------


def _not_first(config: AccelerateConfig, mapping: Mapping) -> Iterator[Objection]:
    key = "fsdp_reshard_after_forward"
    entry, value = config.entry(SECTION, key), config.value(SECTION, key)
    name = str(value).upper()
    section = config.section(SECTION)
    if entry is None or section is None or key not in section.keys:
        return
    if name == "FULL_SHARD" or config.truth(SECTION, key):
        return  # what happens anyway
    fix: Fix | None = None
    if config.entry(SECTION, "fsdp_sharding_strategy") is not None:
        drop = edit.remove_entry(config.document, mapping, entry)
        fix = repair(f"remove {entry.name}", drop, safe=True)
    elif name in STRATEGIES:
        better = _named(entry, "fsdp_sharding_strategy")
        change = edit.rename_key(config.document, entry, better)
        fix = repair(f"rename {entry.name} to {better}", change, safe=True)
    yield _ignored(config, entry, "Version 1 reads fsdp_sharding_strategy.", fix)


def _not_second(config: AccelerateConfig, mapping: Mapping) -> Iterator[Objection]:
    entry = config.entry(SECTION, "fsdp_sharding_strategy")
    if entry is not None:
        name = str(to_data(entry.value)).upper()
        name = STRATEGIES[int(name) - 1] if name in ("1", "2", "3", "4", "5") else name
        drop = edit.remove_entry(config.document, mapping, entry)
        fix: Fix | None = None
        if config.entry(SECTION, "fsdp_reshard_after_forward") is not None or name in RESHARDS:
            fix = repair(f"remove {entry.name}", drop, safe=True)
        elif name in STRATEGIES:
            better = _named(entry, "fsdp_reshard_after_forward")
            add = edit.insert_entry(config.document, mapping, better, False, entry)
            fix = repair(f"write {better}: false instead", add, drop, safe=True)
        yield _ignored(config, entry, "Version 2 reads fsdp_reshard_after_forward.", fix)
    for key in ONLY_FIRST:
        entry = config.entry(SECTION, key)
        if entry is not None and to_data(entry.value) is not None:
            drop = edit.remove_entry(config.document, mapping, entry)
            fix = repair(f"remove {entry.name}", drop, safe=True)
            yield _ignored(config, entry, "Version 2 has no such setting.", fix)


def _named(entry: Entry, key: str) -> str:
    """A key in the form, with or without prefix, that its neighbour has."""
    return key if str(entry.name).startswith("fsdp") else key.removeprefix("fsdp_")


def _ignored(config: AccelerateConfig, entry: Entry, help: str, fix: Fix | None) -> Objection:
    return Objection(
        entry.span,
        f"{entry.name} has no effect under FSDP version {config.fsdp_version}",
        cause=f"It is ignored without a word or with a warning ({config.version}).",
        help=help,
        fix=fix,
    )


# -- refused ---------------------------------------------------------------------------------------


def _refused(
    config: AccelerateConfig,
    key: str,
    said: str,
    help: str,
    fix: Fix | None,
    error: str = "ValueError",
) -> Objection:
    entry = config.entry(SECTION, key)
    assert entry is not None
    return Objection(
        entry.span,
        said,
        cause=f"Every rank stops with a {error} ({config.version}).",
        help=help,
        fix=fix,
    )


def _sync(config: AccelerateConfig) -> Iterator[Objection]:
    """utils/launch.py asks for Python's truth: false, null, 0 and "" are off, "false" is on."""
    key = "fsdp_sync_module_states"
    entry, mapping = config.entry(SECTION, key), config.mapping(SECTION)
    loads = config.value(SECTION, "fsdp_cpu_ram_efficient_loading", "true")
    if entry is None or mapping is None or config.value(SECTION, key) or not loads:
        return
    if config.fsdp_version == 2:
        drop = edit.remove_entry(config.document, mapping, entry)
        fix = repair(f"remove {key}, which FSDP 2 does not have", drop, safe=True)
    else:
        change = edit.set_value(config.document, entry.value, True)
        fix = repair(f"set {key} to true", change)
    said = f"{key} is off while fsdp_cpu_ram_efficient_loading is on"
    yield _refused(config, key, said, "Turn both on, or both off.", fix)


def _offload(config: AccelerateConfig) -> Iterator[Objection]:
    key = "fsdp_activation_checkpointing_offload"
    section = config.section(SECTION)
    if section is None or key not in section.keys or not config.truth(SECTION, key):
        return
    if not config.truth(SECTION, "fsdp_activation_checkpointing"):
        said = f"{key} needs fsdp_activation_checkpointing"
        yield _refused(config, key, said, "Turn fsdp_activation_checkpointing on.", None)
    elif config.fsdp_version == 1:
        yield _refused(config, key, f"{key} needs FSDP version 2", "Set fsdp_version: 2.", None)


def _second(config: AccelerateConfig) -> Iterator[Objection]:
    key = "fsdp_reshard_after_forward"
    entry, value = config.entry(SECTION, key), config.value(SECTION, key, True)
    if entry is not None and config.truth(SECTION, key) is None:
        name = str(value).upper()
        better = name in FULL if isinstance(value, str) and "SHARD" in name else None
        change = edit.set_value(config.document, entry.value, better)
        fix = (
            repair(f"write {str(better).lower()}", change, safe=True)
            if better is not None
            else None
        )
        said = f"{key} is {value!r}; FSDP 2 wants true or false"
        yield _refused(config, key, said, "Write true to shard again after the forward pass.", fix)
    key = "fsdp_state_dict_type"
    if str(config.value(SECTION, key)).upper() in ("LOCAL_STATE_DICT", "2"):
        entry = config.entry(SECTION, key)
        change = (
            edit.set_value(config.document, entry.value, "SHARDED_STATE_DICT") if entry else None
        )
        fix = repair("write SHARDED_STATE_DICT", change)
        said = "FSDP 2 has no LOCAL_STATE_DICT"
        yield _refused(config, key, said, "Use SHARDED_STATE_DICT or FULL_STATE_DICT.", fix)


def _unwrapped(config: AccelerateConfig) -> Iterator[Objection]:
    """utils/fsdp_utils.py: `fsdp2_apply_ac` asks the policy of each module; NO_WRAP is none."""
    key = "fsdp_auto_wrap_policy"
    entry = config.entry(SECTION, key)
    if entry is None or str(config.value(SECTION, key)).upper() != "NO_WRAP":
        return
    if not config.truth(SECTION, "fsdp_activation_checkpointing") or config.version.before("1.8"):
        return
    fix = repair(
        "write TRANSFORMER_BASED_WRAP",
        edit.set_value(config.document, entry.value, "TRANSFORMER_BASED_WRAP"),
    )
    said = f"{key} is NO_WRAP, and fsdp_activation_checkpointing goes by that policy"
    help = "Name a policy, or turn activation checkpointing off."
    yield _refused(
        config, key, said, help, fix, error="TypeError: 'NoneType' object is not callable"
    )
