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
    processes of one machine (None where that is not known). `refused`: it is one for several GPUs.
    """

    ids: str
    devices: int
    processes: int | None
    refused: bool


def in_config(config: AccelerateConfig, project: Project) -> TooFew | None:
    """The gpu_ids of a config, where no command says otherwise."""
    ids = config.value("", "gpu_ids")
    if not isinstance(ids, str) or ids == "all" or config.options(project) & _OF_COMMAND:
        return None
    single = config.machines == 1
    if single and "," not in ids and config.type in config.release.table("gpu_types"):
        return TooFew(ids, _devices(ids), config.processes, refused=True)
    each = (config.processes or 0) // config.machines
    if config.launcher == "torchrun" and _devices(ids) < each:
        return TooFew(ids, _devices(ids), each, refused=False)
    return None


def of_command(launch: Launch) -> TooFew | None:
    """The --gpu_ids of a command that starts several processes on a machine."""
    given = launch.command.given if launch.command and launch.launcher == "accelerate" else {}
    setting, count = given.get("gpu_ids"), given.get("num_processes")
    ids = setting.text if setting is not None else None
    machines = launch.machines()
    if not ids or ids == "all" or (machines is None and "num_machines" in given):
        return None
    processes = count.number if count is not None else None
    if processes is not None and machines is not None:
        processes //= machines
    if machines in (None, 1) and "," not in ids and "multi_gpu" in given:
        return TooFew(ids, _devices(ids), processes, refused=True)
    if processes is not None and _devices(ids) < processes and "cpu" not in given:
        return TooFew(ids, _devices(ids), processes, refused=False)
    return None


def _devices(ids: str) -> int:
    return sum(1 for name in ids.split(",") if name.strip())
