"""FSDP settings that the file's FSDP version does not look at.

## What it flags

Under version 1 (the default) `fsdp_reshard_after_forward`: the plugin looks at it only where
there is no sharding strategy, and the launcher always gives it one. Under version 2
`fsdp_sharding_strategy`, `fsdp_backward_prefetch`, `fsdp_forward_prefetch`,
`fsdp_use_orig_params` and `fsdp_sync_module_states`. A value that asks for what happens anyway is
left alone.

## Why

There is no error. `accelerate config` itself writes `fsdp_reshard_after_forward: SHARD_GRAD_OP`
for version 1, and the job trains with `FULL_SHARD`; with `fsdp_sharding_strategy: SHARD_GRAD_OP`
under version 2 it shards again after each forward pass.

## Example

    distributed_type: FSDP
    num_processes: 8
    fsdp_config:
      fsdp_version: 1
      fsdp_reshard_after_forward: SHARD_GRAD_OP

Repair: the key that version 1 reads.

    distributed_type: FSDP
    num_processes: 8
    fsdp_config:
      fsdp_version: 1
      fsdp_sharding_strategy: SHARD_GRAD_OP

And for version 2, which has a truth value for it and needs none of the others:

    distributed_type: FSDP
    num_processes: 8
    fsdp_config:
      fsdp_version: 2
      fsdp_sharding_strategy: SHARD_GRAD_OP
      fsdp_use_orig_params: true

Repair: as `accelerate to-fsdp2` does it.

    distributed_type: FSDP
    num_processes: 8
    fsdp_config:
      fsdp_version: 2
      fsdp_reshard_after_forward: false

## When to ignore it

When the launch gives `--fsdp_version` on the command line and the file serves both.

## References

accelerate, utils/dataclasses.py: `FullyShardedDataParallelPlugin`; commands/to_fsdp2.py.
"""

from collections.abc import Iterator

from cfglint.accelerate_config import AccelerateConfig, config_of
from cfglint.project import Project
from cfglint.rule import (
    WARNING,
    Document,
    Entry,
    Finding,
    Fix,
    Mapping,
    Rule,
    edit,
    repair,
    to_data,
)

RULE = Rule(
    code="ACC008",
    name="acc-fsdp-version",
    severity=WARNING,
    summary="FSDP settings that the file's FSDP version does not look at",
    fix="safe",
    kinds=("accelerate",),
    symptoms=(r"Multiple deprecation warnings due to FSDP2 conversion",),
    yields_to=("ACC010",),
)
SECTION = "fsdp_config"
STRATEGIES = ("FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD", "HYBRID_SHARD", "HYBRID_SHARD_ZERO2")
RESHARDS = ("FULL_SHARD", "HYBRID_SHARD")
ONLY_FIRST = (
    "fsdp_backward_prefetch",
    "fsdp_forward_prefetch",
    "fsdp_use_orig_params",
    "fsdp_sync_module_states",
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The settings of the other version, at their keys."""
    config = config_of(document, project)
    mapping = config.mapping(SECTION) if config else None
    if config is None or mapping is None or config.type != "FSDP":
        return
    if "fsdp_version" in config.options(project) or not config.release.package.life(
        SECTION, "fsdp_version"
    ):
        return
    if config.fsdp_version == 1:
        yield from _first(config, mapping)
    elif config.fsdp_version == 2:
        yield from _second(config, mapping)


def _first(config: AccelerateConfig, mapping: Mapping) -> Iterator[Finding]:
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
        fix = repair(f"Remove {entry.name}", drop, safe=True)
    elif name in STRATEGIES:
        better = _named(entry, "fsdp_sharding_strategy")
        change = edit.rename_key(config.document, entry, better)
        fix = repair(f"Rename {entry.name} to {better}", change, safe=True)
    yield _finding(config, entry, "Version 1 reads fsdp_sharding_strategy.", fix)


def _second(config: AccelerateConfig, mapping: Mapping) -> Iterator[Finding]:
    entry = config.entry(SECTION, "fsdp_sharding_strategy")
    if entry is not None:
        name = str(to_data(entry.value)).upper()
        name = STRATEGIES[int(name) - 1] if name in ("1", "2", "3", "4", "5") else name
        drop = edit.remove_entry(config.document, mapping, entry)
        fix: Fix | None = None
        if config.entry(SECTION, "fsdp_reshard_after_forward") is not None or name in RESHARDS:
            fix = repair(f"Remove {entry.name}", drop, safe=True)
        elif name in STRATEGIES:
            better = _named(entry, "fsdp_reshard_after_forward")
            add = edit.insert_entry(config.document, mapping, better, False, entry)
            fix = repair(f"Write {better}: false instead", add, drop, safe=True)
        yield _finding(config, entry, "Version 2 reads fsdp_reshard_after_forward.", fix)
    for key in ONLY_FIRST:
        entry = config.entry(SECTION, key)
        if entry is not None and to_data(entry.value) is not None:
            drop = edit.remove_entry(config.document, mapping, entry)
            fix = repair(f"Remove {entry.name}", drop, safe=True)
            yield _finding(config, entry, "Version 2 has no such setting.", fix)


def _named(entry: Entry, key: str) -> str:
    """A key in the form, with or without prefix, that its neighbour has."""
    return key if str(entry.name).startswith("fsdp") else key.removeprefix("fsdp_")


def _finding(config: AccelerateConfig, entry: Entry, help: str, fix: Fix | None) -> Finding:
    return RULE.finding(
        config.document,
        entry.span,
        f"{entry.name} has no effect under FSDP version {config.fsdp_version}",
        cause=f"It is ignored without a word or with a warning ({config.version}).",
        help=help,
        fix=fix,
    )
