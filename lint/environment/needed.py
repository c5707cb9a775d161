"""Which variables the processes of a launch read, and those that its job does not start without.

Sources: facts on LLaMA-Factory a, torchrun a (the variables and the defaults of both);
schemas/environment.json for the libraries.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from cfglint.environment import variables
from cfglint.model.launch import Launch, Setting
from cfglint.model.nodes import stay_on_one_host

# Read by the launchers that start torchrun by themselves, and by plain programs.
_LAUNCHER = ("MASTER_ADDR", "MASTER_PORT", "NNODES", "NODE_RANK", "NPROC_PER_NODE")
_READ = {
    "llamafactory": (*_LAUNCHER, "FORCE_TORCHRUN"),
    "swift": _LAUNCHER,
    "python": ("MASTER_ADDR", "MASTER_PORT"),  # of these torch reads no more
}
_LIBRARIES = ("NCCL_", "TORCH_", "GLOO_", "PET_", "CUDA_VISIBLE_DEVICES", "TP_", "UCX_")


@cache
def read_by(launcher: str) -> Callable[[str], bool]:
    """Whether a launcher, or a library in the processes that it starts, reads a variable."""
    read = _READ.get(launcher, ())

    def is_read(name: str) -> bool:
        library = name.startswith(_LIBRARIES) and variables.variable(name) is not None
        return library or name in read

    return is_read


def stopping(launch: Launch) -> dict[str, str]:
    """The variables without which a job over several machines does not start, and what happens."""
    prefix = {"llamafactory": "", "torchrun": "PET_"}.get(launch.launcher)
    if prefix is None or not launch.complete or not launch.is_multinode:
        return {}
    if launch.network.mode == "pod" or stay_on_one_host(launch):
        return {}
    found = {}
    if launch.port is None and launch.launcher == "llamafactory":
        found["MASTER_PORT"] = "Each node picks another port, and all wait until they time out."
    if not launch.is_static:
        return found
    if launch.address is None and "rdzv_endpoint" not in launch.settings:
        found[f"{prefix}MASTER_ADDR"] = "The nodes dial 127.0.0.1: each waits 900 s for itself."
    if launch.get("node_rank") is None:
        found[f"{prefix}NODE_RANK"] = "Each node takes rank 0: the job never has all its nodes."
    return found


def is_default(setting: Setting) -> bool:
    """Whether the launcher takes the same value without one of these variables."""
    return setting.text in ("0", "127.0.0.1", "localhost")
