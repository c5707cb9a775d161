"""How many processes of a job one container starts.

Sources: facts on torchrun (`gpu` and `auto` are the devices), accelerate (num_processes is the
total), LLaMA-Factory and DeepSpeed (one for each GPU unless they are told otherwise); mpirun(1),
which starts all ranks where it runs unless hosts are listed.
"""

from __future__ import annotations

from cfglint.model.launch import Launch
from cfglint.model.values import default_int
from cfglint.patterns import lazy

# DeepSpeed's --include of GPUs of one machine.
_INCLUDED = lazy(r"[\w.-]+:(\d+(?:,\d+)*)")


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
    own = not launch.label.startswith("MPIJob ")  # else its operator says where the ranks run
    if launch.launcher == "mpirun" and own and "hosts" not in launch.settings:
        ranks = launch.get("ranks")
        return ranks.number if ranks is not None else None
    given, chosen = launch.get("num_gpus"), launch.get("include")
    if given is not None:
        return given.number
    listed = _INCLUDED.fullmatch(chosen.text or "") if chosen is not None else None
    if listed is not None:
        return len(set(listed[1].split(",")))
    return gpus if launch.launcher in ("llamafactory", "deepspeed") else None
