"""FSDP settings that accelerate refuses in this combination.

## What it flags

- `fsdp_sync_module_states` off while `fsdp_cpu_ram_efficient_loading` is not: it is on by
  default.
- FSDP version 2 with a name of version 1 in `fsdp_reshard_after_forward` (`FULL_SHARD`), where
  it wants true or false, and with `LOCAL_STATE_DICT`.
- `fsdp_activation_checkpointing_offload` without activation checkpointing, or under version 1.
- FSDP version 2 with activation checkpointing and `fsdp_auto_wrap_policy: NO_WRAP` (accelerate
  1.8 and later): the modules to checkpoint are those that the policy picks.

## Why it fails

    ValueError: When using `--fsdp_cpu_ram_efficient_loading` set `--fsdp_sync_module_states` to
    `True`
    ValueError: invalid truth value full_shard
    ValueError: FSDP2 does not support LOCAL_STATE_DICT. Please set `fsdp_state_dict_type` to ...
    ValueError: `activation_checkpointing_offload=True` requires `activation_checkpointing=True`.
    TypeError: 'NoneType' object is not callable

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
`FullyShardedDataParallelPlugin`; utils/fsdp_utils.py: `fsdp2_apply_ac`; commands/to_fsdp2.py;
huggingface/accelerate#3822.
"""

from collections.abc import Iterator

from cfglint.accelerate.config import config_of
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="ACC010",
    name="acc-fsdp-conflict",
    severity=ERROR,
    summary="FSDP settings that accelerate refuses in this combination",
    fix="safe",
    unsafe_too=True,
    kinds=("accelerate",),
    symptoms=(
        r"fsdp_cpu_ram_efficient_loading` set `--fsdp_sync_module_states` to `True`",
        r"FSDP2 does not support LOCAL_STATE_DICT",
        r"activation_checkpointing_offload=True` requires",
        r"invalid truth value (full_shard|shard_grad_op|no_shard|hybrid_shard)",
    ),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The refused combinations, at the key that breaks them."""
    config = config_of(document, project)
    if config is None or config.type != "FSDP":
        return
    from cfglint.accelerate.fsdp import refused  # most files need none of it

    for objection in refused(config):
        yield objection.finding(RULE, document)
