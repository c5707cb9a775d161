"""How many processes of a job one container starts.

Sources: facts on torchrun (`gpu` and `auto` are the devices), accelerate (num_processes is the
total), LLaMA-Factory and DeepSpeed (one for each GPU unless they are told otherwise).
"""

from __future__ import annotations

from cfglint.model.launch import Launch
from cfglint.model.values import default_int


def in_container(launch: Launch) -> int | None:
    """The processes of a job that run in the launch's container, None where it is not known."""
    gpus = launch.container.gpus if launch.container else None
    per_node = launch.get("nproc_per_node")
    if per_node is not None:
        return gpus if per_node.text in ("gpu", "auto") else default_int(per_node.value)
    total = launch.get("num_processes")
    machines = launch.machines()
    if total is not None and machines:
        count = default_int(total.value)
        return count // machines if count else None
    given = launch.get("num_gpus")
    if given is not None:
        return given.number
    return gpus if launch.launcher in ("llamafactory", "deepspeed") else None
