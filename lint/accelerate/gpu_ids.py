"""The devices that `gpu_ids` names, against the processes that share them.

Source: accelerate, commands/launch.py: `_validate_launch_command` (two ids at least for several
GPUs, where nothing but the text "all" means all of them); utils/launch.py (CUDA_VISIBLE_DEVICES).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfglint.accelerate.config import AccelerateConfig
from cfglint.model.launch import Launch
from cfglint.record import dataclass

if TYPE_CHECKING:
    from cfglint.project import Project

_OF_COMMAND = frozenset(("gpu_ids", "num_processes", "num_machines"))


@dataclass(frozen=True, slots=True)
class TooFew:
    """Too few ids: `ids` as they are written, how many devices they name, and for how many
    processes (None where that is not known). `refused`: it is one for several GPUs."""

    ids: str
    devices: int
    processes: int | None
    refused: bool


def in_config(config: AccelerateConfig, project: Project) -> TooFew | None:
    """The gpu_ids of a config for one machine, where no command says otherwise."""
    ids = config.value("", "gpu_ids")
    if not isinstance(ids, str) or ids == "all":
        return None
    if config.machines > 1 or config.options(project) & _OF_COMMAND:
        return None
    if "," not in ids and config.type in config.release.table("gpu_types"):
        return TooFew(ids, _devices(ids), config.processes, refused=True)
    if config.launcher == "torchrun" and _devices(ids) < (config.processes or 0):
        return TooFew(ids, _devices(ids), config.processes, refused=False)
    return None


def of_command(launch: Launch) -> TooFew | None:
    """The --gpu_ids of a command that starts several processes on one machine."""
    given = launch.command.given if launch.command and launch.launcher == "accelerate" else {}
    setting, count = given.get("gpu_ids"), given.get("num_processes")
    ids = setting.text if setting is not None else None
    if not ids or ids == "all" or "num_machines" in given or launch.machines() not in (None, 1):
        return None
    processes = count.number if count is not None else None
    if "," not in ids and "multi_gpu" in given:
        return TooFew(ids, _devices(ids), processes, refused=True)
    if processes is not None and _devices(ids) < processes and "cpu" not in given:
        return TooFew(ids, _devices(ids), processes, refused=False)
    return None


def _devices(ids: str) -> int:
    return sum(1 for name in ids.split(",") if name.strip())
