"""The parallelism_config of an accelerate config, as ParallelismConfig checks it.

Source: accelerate, parallelism_config.py and Accelerator.__init__.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cfglint.accelerate.config import AccelerateConfig
from cfglint.releases.objection import Objection
from cfglint.rule import ERROR, WARNING

if TYPE_CHECKING:
    from cfglint.project import Project

SECTION = "parallelism_config"
SIZES = ("dp_replicate", "dp_shard", "tp", "cp", "sp")


def refused(config: AccelerateConfig, project: Project) -> Iterator[Objection]:
    """The first thing that accelerate would refuse."""
    mapping = config.mapping(SECTION)
    if mapping is None or not mapping.entries:
        return
    if config.section(SECTION) is None or not config.reads_section(SECTION):
        return
    elsewhere = (SECTION, "use_", "num_processes", "fsdp_version")
    if any(option.startswith(elsewhere) for option in config.options(project)):
        return
    sizes = {name: _size(config, name) for name in SIZES}
    if any(size is None for size in sizes.values()):
        return
    refusal = _refusal(config, {name: size or 1 for name, size in sizes.items()})
    if refusal is not None:
        said, is_late = refusal
        yield Objection(
            config.root.index[SECTION].key.span,
            said,
            f"Accelerator() stops with a ValueError in every rank ({config.version}).",
            "The product of all sizes must be num_processes.",
            severity=WARNING if is_late else ERROR,
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
