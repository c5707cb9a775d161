"""Launches of a script beside which the same others run, so that few of them need to be asked."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

from cfglint.model.launch import Launch

if TYPE_CHECKING:
    from cfglint.project import Project
    from cfglint.syntax.shell import Command
    from cfglint.syntax.shell_context import Context


def crowd_of(project: Project, launch: Launch) -> Hashable:
    """What a launch has in common with those that behave alike toward any other launch.

    Of one crowd, whatever runs beside one that stands in front of it runs beside all that do, and
    the same holds for those behind it. The members come in the order of the text.
    """
    table: dict[int, Hashable] = project.fact("crowds", lambda: _crowds(project.launches))
    return table.get(id(launch), id(launch))


def few_of(crowd: Sequence[Launch], launch: Launch) -> Iterator[Launch]:
    """Members of a crowd that answer for all of it but the launch itself: of those in front of the
    launch and of those behind it one each."""
    ends = (*crowd[:2], *crowd[-2:]) if len(crowd) > 4 else crowd
    return (other for other in ends if other is not launch)


def _crowds(launches: Sequence[Launch]) -> dict[int, Hashable]:
    outermost = [x.flow[-1] for x in launches if x.flow]
    commands = Counter(map(id, outermost))
    around = Counter(_own(context) for c in outermost for context in c.context.chain())
    reached: dict[Hashable, int] = {}
    table: dict[int, Hashable] = {}
    for launch in launches:
        box = launch.container
        if len(launch.flow) != 1 or (box is not None and box.kind == "compose"):
            continue
        command = launch.flow[0]
        if commands[id(command)] > 1:
            continue
        nodes = launch.nodes.number if launch.nodes is not None else None
        crowd = (
            id(command.script),
            launch.host,
            launch.detached,
            box is None,
            launch.network.mode,
            "srun" in launch.wrappers and nodes != 1,
            tuple(_step(c, around[_own(c)] > 1, command) for c in command.context.chain()),
        )
        if command.start > reached.get(crowd, -1):  # else the order says nothing
            reached[crowd] = command.start
            table[id(launch)] = crowd
    return table


def _own(context: Context) -> Hashable:
    """A context, or the statement of which it is a branch."""
    return ("branch", context.group) if context.kind == "branch" else id(context)


def _step(context: Context, shared: bool, command: Command) -> Hashable:
    """A context around a command: its kind where it is around no other launch, else itself and how
    often the script has waited in it by then."""
    if not shared:
        return "job" if context.kind == "job" else ""
    return id(context), bisect_left(command.script.waits_in(context), command.start)
