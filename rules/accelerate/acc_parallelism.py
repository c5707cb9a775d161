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

from cfglint.accelerate_config import AccelerateConfig, config_of
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Rule

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
SECTION = "parallelism_config"
SIZES = ("dp_replicate", "dp_shard", "tp", "cp", "sp")


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The first thing that accelerate would refuse, at the section's key."""
    config = config_of(document, project)
    mapping = config.mapping(SECTION) if config else None
    if config is None or mapping is None or not mapping.entries:
        return
    if config.section(SECTION) is None or not config.reads_section(SECTION):
        return
    given = config.options(project)
    if any(
        option.startswith((SECTION, "use_", "num_processes", "fsdp_version")) for option in given
    ):
        return
    sizes = {name: _size(config, name) for name in SIZES}
    if any(size is None for size in sizes.values()):
        return
    refusal = _refusal(config, {name: size or 1 for name, size in sizes.items()})
    if refusal is not None:
        said, is_late = refusal
        yield RULE.finding(
            document,
            config.root.index[SECTION].key.span,
            said,
            severity=WARNING if is_late else ERROR,
            cause=f"Accelerator() stops with a ValueError in every rank ({config.version}).",
            help="The product of all sizes must be num_processes.",
        )


def _size(config: AccelerateConfig, name: str) -> int | None:
    value = config.value(SECTION, f"{SECTION}_{name}_size", 1)
    if isinstance(value, str) and value.isdigit():
        value = int(value)
    return value if type(value) is int and value > 0 else None


def _refusal(config: AccelerateConfig, size: dict[str, int]) -> tuple[str, bool] | None:
    total = size["dp_replicate"] * size["dp_shard"] * size["tp"] * size["cp"] * size["sp"]
    is_fsdp, version = config.type == "FSDP", config.fsdp_version
    if size["cp"] > 1 and size["sp"] > 1:
        return "cp_size and sp_size exclude each other", False
    if max(size["tp"], size["cp"]) > 1 and size["dp_replicate"] > 1 and size["dp_shard"] == 1:
        return "tp_size or cp_size cannot go with dp_replicate_size and no dp_shard_size", False
    if size["cp"] > 1 and config.type != "DEEPSPEED" and not (is_fsdp and version == 2):
        return "cp_size needs FSDP with fsdp_version: 2", False
    if total == 1 or (size["sp"] > 1 and config.type == "DEEPSPEED"):
        return None
    processes = config.processes
    if processes is not None:
        world = processes // config.machines * config.machines
        if total != world and size["sp"] == 1:
            return f"the sizes multiply to {total}, num_processes is {processes}", False
    if is_fsdp and version == 1:
        return "parallelism_config needs FSDP with fsdp_version: 2", False
    if is_fsdp and size["dp_shard"] == 1 and size["cp"] == 1:
        is_late = config.version.before("1.15.0")
        return "neither dp_shard_size nor cp_size leaves FSDP anything to shard over", is_late
    return None
