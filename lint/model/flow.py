"""Whether two commands of one script run at the same time, one after the other, or either."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cfglint.syntax.shell import Command, Context


def overlap(
    first: Sequence[Command],
    second: Sequence[Command],
    first_detached: Command | None = None,
    second_detached: Command | None = None,
) -> bool:
    """Whether the second of two launches can start while the first one runs.

    Each is given by the shell commands around it, innermost first, and by the one of these that
    detaches what it starts: that runs on by itself, and `wait` does not wait for it. Asked of a
    launch and itself, the answer is whether a loop starts it again before it has ended.
    """
    if not first or not second or first[-1].script is not second[-1].script:
        return False
    one, other = first[-1], second[-1]
    if one is other:
        if len(first) > 1 and len(second) > 1 and first[-2] is not second[-2]:
            within = (None if one is by else by for by in (first_detached, second_detached))
            return overlap(first[:-1], second[:-1], *within)
        return any(
            _repeats(command, first_detached is not None, any(map(_leaves_behind, first[:depth])))
            for depth, command in enumerate(first)
        )
    detached = first_detached
    if one.start > other.start:
        one, other, detached = other, one, second_detached
    inside = first if one is first[-1] else second
    if detached is None and not one.script.has_jobs and not _has_jobs(inside):
        return False
    common = one.context.common(other.context)
    if common is None or exclusive(one.context, other.context):
        return False
    if detached is not None:
        return True
    jobs = one.context.is_job_below(common) or any(map(_leaves_behind, inside[:-1]))
    return jobs and not _waits(one, other.start, common)


def _has_jobs(commands: Sequence[Command]) -> bool:
    return any(command.script.has_jobs for command in commands)


def exclusive(one: Context, other: Context) -> bool:
    """Whether the two stand in different branches of one statement."""
    common = one.common(other)
    groups = {c.group: c.branch for c in _below(one, common) if c.kind == "branch"}
    return bool(groups) and any(
        c.kind == "branch" and c.group in groups and groups[c.group] != c.branch
        for c in _below(other, common)
    )


def certain(one: Context, other: Context) -> bool:
    """Whether what stands in the first has run once when the second is reached below it."""
    kinds = {c.kind for c in _below(one, one.common(other))}
    return not kinds & {"branch", "loop", "after", "function"}


def in_every_turn(command: Command) -> bool:
    """Whether a command stands in a loop and each turn of it comes to the command."""
    loop = command.context.inside("loop")
    return loop is not None and all(c.kind != "branch" for c in _below(command.context, loop))


# Commands that start something on other machines.
_ELSEWHERE = re.compile(
    r"(?<![\w.-])(?:srun|prun|ibrun|aprun|jsrun|flux|pbsdsh|blaunch|mpirun|mpiexec(?:\.\w+)?|orterun"
    r"|ssh|pdsh|clush|pssh|dsh|rsh|parallel|sbatch|ray|horovodrun|ansible)(?![\w.-])"
)
_ASKS = re.compile(r"hostname|nvidia-smi|\bip\b|ifconfig|echo|mkdir|rm\b|pkill|killall")


def stays_here(command: Command) -> bool:
    """Whether nothing in a command's script is seen to start anything on another machine."""
    return _stays_here(command.script.fragment.text)


@lru_cache(maxsize=32)
def _stays_here(text: str) -> bool:
    lines = text.replace("\\\n", " ").splitlines()
    code = (line for line in lines if not line.lstrip().startswith("#"))
    return not any(_ELSEWHERE.search(line) and not _ASKS.search(line) for line in code)


def _leaves_behind(command: Command) -> bool:
    """Whether a function or an inner script goes on, or ends, while a command of it runs."""
    body = command.context.inside("function") or command.script.root
    if all(c.kind != "job" for c in _below(command.context, body)):
        return False
    waits = (c for c in command.script.waits if c.start >= command.end)
    return all(c.context is not body for c in waits)


def _repeats(command: Command, detached: bool, left: bool) -> bool:
    """Whether a loop starts a command in the background again and again without waiting.

    `left`: the command itself ends while what it has started runs on.
    """
    loop = command.context.inside("loop")
    if loop is None or not in_every_turn(command):
        return False  # a branch may be taken in one turn only
    if not detached and not left and all(c.kind != "job" for c in _below(command.context, loop)):
        return False
    if loop.values and len(loop.values) < 2 and not {"$", "{"}.intersection(loop.values[0].raw):
        return False
    if loop.name and _goes_to(command, loop.name):
        return False
    if detached:
        return True
    waits = [c for c in command.script.waits if c.start > command.start]
    return not any(loop in c.context.chain() for c in waits)


def _goes_to(command: Command, variable: str) -> bool:
    """Whether ssh goes to the machine that a loop's variable names, be it a list of one."""
    text = command.script.fragment.text[command.start : command.end]
    name = re.escape(variable)
    return re.match(rf"ssh\b[^\"';|&]*\"?[^\s\"';|&]*\$(?:{name}\b|\{{{name}\}})", text) is not None


def _waits(one: Command, before: int, common: Context) -> bool:
    """Whether the script waits for its jobs between a command and an index of the text."""
    starts = one.script.waits_in(common)
    at = bisect_left(starts, one.end)
    return at < len(starts) and starts[at] < before


def _below(context: Context, common: Context | None) -> list[Context]:
    found = []
    each: Context | None = context
    while each is not None and each is not common:
        found.append(each)
        each = each.parent
    return found
