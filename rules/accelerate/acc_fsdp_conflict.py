"""FSDP settings that accelerate refuses in this combination.

## What it flags

- `fsdp_sync_module_states` off while `fsdp_cpu_ram_efficient_loading` is not: it is on by
  default.
- FSDP version 2 with a name of version 1 in `fsdp_reshard_after_forward` (`FULL_SHARD`), where
  it wants true or false, and with `LOCAL_STATE_DICT`.
- `fsdp_activation_checkpointing_offload` without activation checkpointing, or under version 1.

## Why it fails

    ValueError: When using `--fsdp_cpu_ram_efficient_loading` set `--fsdp_sync_module_states` to
    `True`
    ValueError: invalid truth value full_shard
    ValueError: FSDP2 does not support LOCAL_STATE_DICT. Please set `fsdp_state_dict_type` to ...
    ValueError: `activation_checkpointing_offload=True` requires `activation_checkpointing=True`.

## Example

    distributed_type: FSDP
    num_processes: 8
    fsdp_config:
      fsdp_version: 2
      fsdp_reshard_after_forward: FULL_SHARD

Repair: the truth value that the name stood for.

    distributed_type: FSDP
    num_processes: 8
    fsdp_config:
      fsdp_version: 2
      fsdp_reshard_after_forward: true

## When to ignore it

Never: every rank stops.

## References

accelerate, utils/launch.py: `prepare_multi_gpu_env`; utils/dataclasses.py:
`FullyShardedDataParallelPlugin`; commands/to_fsdp2.py.
"""

from collections.abc import Iterator

from cfglint.accelerate_config import AccelerateConfig, config_of
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Fix, Rule, edit, repair

RULE = Rule(
    code="ACC010",
    name="acc-fsdp-conflict",
    severity=ERROR,
    summary="FSDP settings that accelerate refuses in this combination",
    fix="safe",
    kinds=("accelerate",),
    symptoms=(
        r"fsdp_cpu_ram_efficient_loading` set `--fsdp_sync_module_states` to `True`",
        r"FSDP2 does not support LOCAL_STATE_DICT",
        r"activation_checkpointing_offload=True` requires",
        r"invalid truth value (full_shard|shard_grad_op|no_shard|hybrid_shard)",
    ),
)
SECTION = "fsdp_config"
FULL = ("FULL_SHARD", "HYBRID_SHARD")


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The refused combinations, at the key that breaks them."""
    config = config_of(document, project)
    if config is None or config.type != "FSDP" or config.mapping(SECTION) is None:
        return
    yield from _sync(config)
    yield from _offload(config)
    if config.fsdp_version == 2:
        yield from _second(config)


def _finding(config: AccelerateConfig, key: str, said: str, help: str, fix: Fix | None) -> Finding:
    entry = config.entry(SECTION, key)
    assert entry is not None
    return RULE.finding(
        config.document,
        entry.span,
        said,
        cause=f"Every rank stops with a ValueError ({config.version}).",
        help=help,
        fix=fix,
    )


def _sync(config: AccelerateConfig) -> Iterator[Finding]:
    """utils/launch.py asks for Python's truth: false, null, 0 and "" are off, "false" is on."""
    key = "fsdp_sync_module_states"
    entry, mapping = config.entry(SECTION, key), config.mapping(SECTION)
    loads = config.value(SECTION, "fsdp_cpu_ram_efficient_loading", "true")
    if entry is None or mapping is None or config.value(SECTION, key) or not loads:
        return
    if config.fsdp_version == 2:
        drop = edit.remove_entry(config.document, mapping, entry)
        fix = repair(f"Remove {key}, which FSDP 2 does not have", drop, safe=True)
    else:
        change = edit.set_value(config.document, entry.value, True)
        fix = repair(f"Set {key} to true", change)
    said = f"{key} is off while fsdp_cpu_ram_efficient_loading is on"
    yield _finding(config, key, said, "Turn both on, or both off.", fix)


def _offload(config: AccelerateConfig) -> Iterator[Finding]:
    key = "fsdp_activation_checkpointing_offload"
    section = config.section(SECTION)
    if section is None or key not in section.keys or not config.truth(SECTION, key):
        return
    if not config.truth(SECTION, "fsdp_activation_checkpointing"):
        said = f"{key} needs fsdp_activation_checkpointing"
        yield _finding(config, key, said, "Turn fsdp_activation_checkpointing on.", None)
    elif config.fsdp_version == 1:
        yield _finding(config, key, f"{key} needs FSDP version 2", "Set fsdp_version: 2.", None)


def _second(config: AccelerateConfig) -> Iterator[Finding]:
    key = "fsdp_reshard_after_forward"
    entry, value = config.entry(SECTION, key), config.value(SECTION, key, True)
    if entry is not None and config.truth(SECTION, key) is None:
        name = str(value).upper()
        better = name in FULL if isinstance(value, str) and "SHARD" in name else None
        change = edit.set_value(config.document, entry.value, better)
        fix = (
            repair(f"Write {str(better).lower()}", change, safe=True)
            if better is not None
            else None
        )
        said = f"{key} is {value!r}; FSDP 2 wants true or false"
        yield _finding(config, key, said, "Write true to shard again after the forward pass.", fix)
    key = "fsdp_state_dict_type"
    if str(config.value(SECTION, key)).upper() in ("LOCAL_STATE_DICT", "2"):
        entry = config.entry(SECTION, key)
        change = (
            edit.set_value(config.document, entry.value, "SHARDED_STATE_DICT") if entry else None
        )
        fix = repair("Write SHARDED_STATE_DICT", change)
        said = "FSDP 2 has no LOCAL_STATE_DICT"
        yield _finding(config, key, said, "Use SHARDED_STATE_DICT or FULL_STATE_DICT.", fix)
