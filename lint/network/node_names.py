"""The names by which the nodes of one job reach each other, and whom an address names by them.

Sources: Docker (a container is reached by its name, host name and aliases on networks that resolve
names); the MPI operator (the launcher's pod runs no rank unless `runLauncherAsWorker` says so, and
the workers are NAME-worker-0 and up); facts on torchrun a (rank 0 hosts the store).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cfglint.model.launch import Container, Launch, Setting
from cfglint.model.values import Computed, Unknown, Variable
from cfglint.patterns import lazy
from cfglint.record import dataclass

if TYPE_CHECKING:
    from cfglint.project import Project


@dataclass(frozen=True, slots=True)
class NamedNode:
    """A node that others dial as their master although it has another rank than 0.

    `rank` is its own, `first` the name of the node with rank 0, "" where that is not known.
    """

    rank: Setting
    first: str


def of_container(box: Container) -> set[str]:
    """The names by which a network that resolves names knows a container."""
    return {*box.aliases, box.hostname} - {""}


def of_node(launch: Launch) -> list[str]:
    """The names of the host and the container in which a launch runs, the plainest first."""
    names = [launch.host.rpartition("@")[2]] if launch.host else []
    if launch.container is not None:
        names += [launch.container.name, launch.container.hostname, *launch.container.aliases]
    return [name for name in names if name]


def dialled(project: Project, launch: Launch) -> NamedNode | None:
    """The node whose name a launch's address is, where its rank is known and is not 0.

    None too where the ranks themselves are at fault: two nodes of one rank, nodes numbered from 1.
    """
    address = launch.address.text if launch.address is not None else None
    if not address:
        return None
    table: dict[tuple[int, str], list[Launch]]
    table = project.fact("node names", lambda: _named(project))
    named = table.get((id(launch.document), address), [])
    ranks = [x.settings["node_rank"] for x in named if x.get("node_rank") is not None]
    if len(named) != 1 or len(ranks) != 1 or ranks[0].number in (0, None):
        return None
    beside = [x for x in project.launches if x.document is launch.document]
    if sum(_rank(x) == ranks[0].number for x in beside) > 1:
        return None  # rank-duplicate's fault
    zero = [x for x in beside if _rank(x) == 0]
    if not zero and any((_rank(x) or 0) >= (launch.machines() or 0) for x in beside):
        return None  # rank-out-of-range's fault
    names = of_node(zero[0]) if len(zero) == 1 else []
    return NamedNode(ranks[0], names[0] if names else "")


def _named(project: Project) -> dict[tuple[int, str], list[Launch]]:
    """The launches by the names of their nodes, those of each file for themselves."""
    found: dict[tuple[int, str], list[Launch]] = {}
    for launch in project.launches:
        for name in set(of_node(launch)):
            found.setdefault((id(launch.document), name), []).append(launch)
    return found


def first_worker(launch: Launch) -> str | None:
    """The name of an MPIJob's first worker, where the address is that of the launcher's pod: its
    name, or the host name that the shell there puts in. None where it is another address."""
    idle, address = launch.get("idle_launcher"), launch.address
    if idle is None or not idle.text or address is None:
        return None
    name, dot, rest = (address.text or "").partition(".")
    value = address.value
    own = isinstance(value, Computed) and value.idiom in ("hostname", "hostname-ip")
    own = own and launch.evaluated == "once"  # by the shell that calls mpirun, not by each rank
    if name != idle.text and not own:
        return None
    return f"{idle.text.removesuffix('-launcher')}-worker-0{dot}{rest}"


@dataclass(frozen=True, slots=True)
class NumberedPod:
    """A pod that others dial as their master although its `number`, which is its rank, is not 0;
    `first` is what they would dial to reach the one with rank 0."""

    number: int
    first: str


# How a pod's own number is told: by an indexed Job, and by the end of its name.
_BY_NAME = lazy(r"\$\{(?:HOSTNAME|[A-Z0-9_]*POD_NAME)##\*-\}")
_NUMBERED = {
    "Job": r"{}-(\d+)",
    "JobSet": r"{}-[\w-]+-\d+-(\d+)",
    "StatefulSet": r"{}-(\d+)",
}


def numbered_pod(launch: Launch) -> NumberedPod | None:
    """The pod that a launch's address names, where each pod takes its number for its rank and that
    of this one is not 0."""
    rank, address = launch.get("node_rank"), launch.address
    kind, _, name = launch.label.partition(" ")
    if rank is None or address is None or not address.text or kind not in _NUMBERED:
        return None
    by_index = isinstance(rank.value, Variable) and rank.value.name == "JOB_COMPLETION_INDEX"
    by_name = isinstance(rank.value, Unknown) and _BY_NAME.fullmatch(rank.value.text)
    if not (by_index or by_name):
        return None
    host, dot, rest = address.text.partition(".")
    found = re.fullmatch(_NUMBERED[kind].format(re.escape(name)), host)
    if found is None or int(found[1]) == 0:
        return None
    return NumberedPod(int(found[1]), f"{host[: found.start(1)]}0{dot}{rest}")


def _rank(launch: Launch) -> int | None:
    rank = launch.get("node_rank")
    return rank.number if rank is not None else None
