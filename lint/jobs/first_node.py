"""Launchers that a batch script starts on the first of its nodes, where Slurm starts the script.

Sources: sbatch(1), srun(1); accelerate, commands/launch.py (`deepspeed_launcher` hands over to
DeepSpeed's own, which reaches the other nodes).
"""

from __future__ import annotations

import re

from cfglint.model.edit import Edit, Fix
from cfglint.model.launch import Launch, Word
from cfglint.model.setting import Setting
from cfglint.model.values import default_int
from cfglint.rule import repair
from cfglint.text import Span

_LAUNCHERS = ("torchrun", "accelerate", "llamafactory", "swift")  # deepspeed dials the nodes itself


def waited_for(launch: Launch) -> Setting | None:
    """The number of nodes that Slurm gives and that a launcher on the first one waits for, None
    where it does not, or the others are reached."""
    if launch.launcher not in _LAUNCHERS:
        return None
    given, asked = launch.get("nnodes"), launch.allocated
    allocated = default_int(asked.value) if asked is not None else None
    if asked is None or given is None or (allocated or 0) < 2 or launch.machines() != allocated:
        return None
    if _dials_the_others(launch) or not (launch.is_on_first_node or _is_one_task(launch)):
        return None
    return asked


def _is_one_task(launch: Launch) -> bool:
    """Whether srun starts it as one task (`srun -N1 -n1`), and nothing in the file starts another
    that the job could meet."""
    if launch.wrappers[:1] != ("srun",) or launch.tasks != 1 or launch.peers:
        return False
    if launch.background or launch.in_loop or launch.many or launch.document.kind != "slurm":
        return False
    beside = (x for x in launch.document.launches if x is not launch)
    return all(x.launcher in ("python", "env") for x in beside)


def on_every_node(launch: Launch) -> Fix | None:
    """srun in front, where the nodes need no number: what the batch script fills in is rank 0."""
    if "srun" in launch.wrappers:
        return None
    if launch.is_static or launch.get("node_rank") is not None or not launch.flow:
        return None
    command, at = launch.flow[0], launch.span.start
    first = command.words[0]
    inside = command.span.start <= at < command.span.end
    if inside is (first.text is None) or not (inside or _is_variable(first)):
        return None  # it comes out of a variable that something else starts
    if first.text not in ("sbatch", "exec", "time"):
        at = first.span.start
    srun = "srun " if launch.step_tasks == 1 else "srun --ntasks-per-node=1 "
    return repair("start it on every node", Edit(launch.document.path, Span(at, at), srun))


def _is_variable(word: Word) -> bool:
    """Whether a word is nothing but a variable, or all words of an array."""
    return re.fullmatch(r"\$\w+|\$\{\w+\}|\"?\$\{\w+\[[@*]\]\}\"?", word.raw) is not None


def _dials_the_others(launch: Launch) -> bool:
    """Whether accelerate hands over to DeepSpeed's launcher, which reaches the other nodes."""
    kind = launch.get("distributed_type")
    known = kind is not None and (kind.text or "").upper() != "DEEPSPEED"
    opaque = launch.get("config_file") is not None or any(
        r.role == "accelerate" for r in launch.configs
    )
    deepspeed = "use_deepspeed" in launch.settings or "hostfile" in launch.settings
    return launch.launcher == "accelerate" and not known and (opaque or deepspeed)
