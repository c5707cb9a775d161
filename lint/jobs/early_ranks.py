"""Numbers of Slurm's tasks that a shell fills in before srun starts the tasks.

Sources: Slurm, sbatch and srun, output environment variables (the batch shell is a task of its own,
number 0; the shell that submits has none); facts on Slurm.
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.model.edit import Fix
from cfglint.model.launch import Launch, Setting
from cfglint.model.values import Computed, Variable
from cfglint.record import dataclass
from cfglint.rule import repair

_EARLY = {
    "early-task-id": "the batch shell",
    "submitted-task-id": "the shell that submits the job",
}
_OF_TASKS = (("RANK", "SLURM_PROCID"), ("LOCAL_RANK", "SLURM_LOCALID"))


@dataclass(frozen=True, slots=True)
class EarlyRank:
    """The rank of a node that `shell` fills in as `variable` for all of them: with 0, or with
    nothing (`is_empty`). `fix` leaves it to each task, None where it cannot be written."""

    rank: Setting
    variable: str
    shell: str
    is_empty: bool
    fix: Fix | None


@dataclass(frozen=True, slots=True)
class EarlyNumber:
    """A number of a plain program's process (`name`: RANK, LOCAL_RANK) that the batch shell fills
    in from Slurm's `variable` for all tasks."""

    rank: Setting
    name: str
    variable: str
    fix: Fix | None


def early_rank(launch: Launch) -> EarlyRank | None:
    """The node rank of a launch over several nodes that is filled in before srun."""
    rank = launch.get("node_rank")
    if rank is None or not isinstance(rank.value, Computed) or rank.value.idiom not in _EARLY:
        return None
    if not launch.is_static or launch.is_single_node:
        return None
    if launch.nodes is not None and launch.nodes.number == 1:
        return None
    name, shell = rank.value.text, _EARLY[rank.value.idiom]
    return EarlyRank(rank, name, shell, rank.value.low != 0, _left_to_tasks(launch, rank, name))


def early_numbers(launch: Launch) -> Iterator[EarlyNumber]:
    """The numbers of a program of which srun starts one task for each process."""
    if launch.launcher != "python" or "srun" not in launch.wrappers or not _starts_several(launch):
        return
    for name, number in _OF_TASKS:
        rank = launch.env.get(name)
        if rank is None:
            continue
        value = rank.value
        by_batch = isinstance(value, Variable) and value.name == number
        if isinstance(value, Computed) and value.idiom == "early-task-id":
            yield EarlyNumber(rank, name, number, _left_to_tasks(launch, rank, value.text))
        elif by_batch and launch.evaluated == "once" and rank.document.kind == "slurm":
            yield EarlyNumber(rank, name, number, None)


def _starts_several(launch: Launch) -> bool:
    """Whether srun is seen to start more than one task."""
    each, nodes = launch.get("tasks_per_node"), launch.nodes
    counts = (launch.tasks, each.number if each else None, nodes.number if nodes else None)
    return launch.tasks != 1 and any((count or 1) > 1 for count in counts)


def _left_to_tasks(launch: Launch, rank: Setting, name: str) -> Fix | None:
    """A backslash, where a shell on the node reads the text again; else a shell to read it."""
    if launch.evaluated != "node" or launch.is_started:
        if launch.program is None:
            return None  # the command may go on where nobody sees it
        edits = launch.read_on_node(rank) if launch.read_on_node is not None else None
        return repair("let a shell on each node fill it in", edits)
    if rank.used_at is not None:
        return None
    return repair("let each task fill it in", rank.write(Variable(name.lstrip("$"))), safe=True)
