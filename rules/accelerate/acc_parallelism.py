"""A `parallelism_config` that accelerate refuses.

## What it flags

Sizes whose product is not the number of processes; context and sequence parallelism together;
tensor or context parallelism over replicas only; context parallelism without FSDP version 2; FSDP
version 1 with sizes at all; FSDP version 2 with nothing to shard over. Only literal numbers are
judged.

## Why it fails

    ValueError: ParallelismConfig total_size (4) does not match num_processes (8). Please adjust ...
    ValueError: Using `cp_size>1` requires FSDP2, but the provided `fsdp_plugin` is using FSDP1.
    ValueError: Tensor/Context parallelism (tp/cp_size > 1) cannot be used with pure data ...
    ValueError: FSDP is enabled but the parallelism config has no dimension for FSDP to shard across

## Example

    distributed_type: FSDP
    num_processes: 8
    fsdp_config:
      fsdp_version: 2
    parallelism_config:
      parallelism_config_dp_shard_size: 2
      parallelism_config_tp_size: 2

Repair: sizes whose product is the number of processes.

    distributed_type: FSDP
    num_processes: 8
    fsdp_config:
      fsdp_version: 2
    parallelism_config:
      parallelism_config_dp_shard_size: 4
      parallelism_config_tp_size: 2

## When to ignore it

When the launch gives sizes or `--num_processes` on the command line.

## References

accelerate, parallelism_config.py: `__post_init__`, `_validate_accelerator`; state.py:
`AcceleratorState.__init__`.
"""

from collections.abc import Iterator

from cfglint.accelerate.config import config_of
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="ACC011",
    name="acc-parallelism",
    severity=ERROR,
    summary="a parallelism_config that accelerate refuses",
    kinds=("accelerate",),
    symptoms=(
        r"ParallelismConfig total_size .* does not match num_processes",
        r"cp_size>? ?>? ?1` (requires FSDP2|specified in the `parallelism_config`)",
        r"Tensor/Context parallelism .* cannot be used with pure data parallelism",
        r"parallelism config has no dimension for FSDP to shard across",
        r"ParallelismConfig is only compatible DistributedType",
    ),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The first thing that accelerate would refuse, at the section's key."""
    config = config_of(document, project)
    if config is None or config.mapping("parallelism_config") is None:
        return
    from cfglint.accelerate.parallelism import refused  # most files need none of it

    for objection in refused(config, project):
        yield objection.finding(RULE, document)
