"""The nodes of a job: whether two launches can be two of them, and whether all are on one host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cfglint.model.launch import Launch
from cfglint.model.values import Literal, default_literal

if TYPE_CHECKING:
    from cfglint.syntax.shell import Command


def may_be_peers(one: Launch, other: Launch) -> bool:
    """Whether nothing shows that two launches are nodes of different jobs."""
    return not (in_turn(one, other) or _ids_differ(one, other))


def in_turn(one: Launch, other: Launch) -> bool:
    """Whether one script runs two commands on one machine one after the other."""
    if one.host != other.host or not one.flow or not other.flow:
        return False
    return one.flow[-1].script is other.flow[-1].script and not one.overlaps(other)


def _ids_differ(one: Launch, other: Launch) -> bool:
    """Whether c10d is told that they are of different jobs."""
    ids = [x.value("rdzv_id") for x in (one, other) if x.effective("rdzv_backend") == "c10d"]
    return len(ids) == 2 and all(isinstance(x, Literal) for x in ids) and ids[0] != ids[1]


def are_side_by_side(launch: Launch) -> bool:
    """Whether all ranks of a job are commands that one script starts side by side, on its machine
    or in the container whose script it is."""
    if not launch.flow or launch.host:
        return False
    if not {"srun", "pdsh", "mpirun"}.isdisjoint(launch.wrappers):
        return False
    if launch.in_every_turn and _runs_beside(launch, launch):
        return True
    beside = sum(_runs_beside(launch, peer) for peer in launch.peers)
    return 1 + beside >= max(launch.machines_to_start() or 2, 2)


def _runs_beside(one: Launch, other: Launch) -> bool:
    """Whether two launches run at the same time and on one machine, or in one container: that of
    one `docker run`, of `docker exec` of one name, or of a pod or service whose script starts both.
    """
    if one.container is None or one.container.kind != "docker":
        return (other.container is None) is (one.container is None) and one.overlaps(other)
    if "docker exec" in one.wrappers:
        return one.container is other.container and one.overlaps(other)
    from cfglint.model.flow import overlap

    mine, theirs = _around_container(one), _around_container(other)
    if not mine or not theirs or mine[0] is not theirs[0]:
        return False
    return overlap(one.flow[: -len(mine)], other.flow[: -len(theirs)])


def _around_container(launch: Launch) -> Sequence[Command]:
    """The command that starts a launch's container, where that runs a script, and those around."""
    return [c for c in launch.flow if c.script is not launch.flow[0].script]


def stay_on_one_host(launch: Launch) -> bool:
    """Whether all ranks of a job are containers of one Compose project, or commands that one script
    starts side by side on its machine."""
    if are_side_by_side(launch):
        return True
    if launch.container is None:
        return False
    unit = launch.document.unit
    here = [x for x in (launch, *launch.peers) if x.document in unit and x.host == launch.host]
    boxes = [x.container for x in here]
    if launch.container.kind == "compose":  # the script of one service may hold several
        boxes = list({box.name: box for box in boxes if box is not None}.values())
    copies = ((b.replicas.number if b and b.replicas else None) or 1 for b in boxes)
    if sum(copies) >= (launch.machines() or 0):
        return True
    address = default_literal(launch.address.value) if launch.address else None
    if len(here) > 1 and any(box is not None and address in box.aliases for box in boxes):
        return True
    called, dialled = _names(launch)
    if address is not None and not called.get(address, _NONE) <= {id(launch)}:
        return True
    return any(not dialled.get(x, _NONE) <= {id(launch)} for x in launch.container.aliases)


_NONE: frozenset[int] = frozenset()
_Named = dict[str, set[int]]


def _names(launch: Launch) -> tuple[_Named, _Named]:
    """The launches in containers that are started together with one, by the names of their
    containers and by those that they dial (their ids)."""

    def index() -> tuple[_Named, _Named]:
        called: _Named = {}
        dialled: _Named = {}
        for one in (x for file in unit for x in file.launches if x.container is not None):
            for alias in one.container.aliases if one.container is not None else ():
                called.setdefault(alias, set()).add(id(one))
            name = default_literal(one.address.value) if one.address else None
            if name:
                dialled.setdefault(name, set()).add(id(one))
        return called, dialled

    unit = launch.document.unit
    found: tuple[_Named, _Named] = unit[0].fact("names of containers", index)
    return found
