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

from cfglint.accelerate.config import config_of
from cfglint.project import Project
from cfglint.rule import WARNING, Document, Finding, Rule

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


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The settings of the other version, at their keys."""
    config = config_of(document, project)
    if config is None or config.type != "FSDP":
        return
    from cfglint.accelerate.fsdp import unread  # most files need none of it

    for objection in unread(config, project):
        yield objection.finding(RULE, document)
