"""Jobs in the background that a batch script leaves behind when it ends.

Sources: Slurm, FAQ ("Why is my batch job that launches no job steps being killed?": a step in the
background is purged when the script exits) and job launch guide, "Job Termination"; slurmctld,
proc_req.c and job_mgr.c: the end of the batch script completes the job, whose nodes are released.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cfglint.model.flow import exclusive
from cfglint.record import dataclass

if TYPE_CHECKING:
    from cfglint.model.edit import Edit
    from cfglint.model.launch import Launch
    from cfglint.syntax.shell import Command

# Commands that are over at once and keep nothing alive.
_BRIEF = frozenset(
    """
    echo printf date exit return export unset set shopt cd ls pwd hostname true : disown jobs mkdir
    touch rm module deactivate declare local readonly [ [[ test
    """.split()  # noqa: SIM905 (a table)
)
_KEEPING = frozenset(("wait", "swait", "trap"))
# What may take its time whatever commands it is made of: a substitution, a loop on a condition.
_TAKES_TIME = re.compile(
    r"`|\$\((?!\()(?!\s*(?:date|hostname|pwd|basename|dirname|echo)\b)|(?:^|[;\n])\s*(?:while|until)\s"
)
_COMMENT = re.compile(r"(?m)(?:^|(?<=\s))#.*$")


@dataclass(slots=True)
class Left:
    """The last of the jobs that a batch script leaves behind, the others that one `wait` below its
    `command` is for as well."""

    command: Command
    launch: Launch
    others: list[Launch]


def all_left(launches: Iterable[Launch]) -> Iterator[Left]:
    """The jobs that batch scripts leave behind."""
    scripts: dict[int, list[tuple[Command, Launch]]] = defaultdict(list)
    for launch in launches:
        command = left_behind(launch)
        if command is not None:
            scripts[id(command.script)].append((command, launch))
    for found in scripts.values():
        found.sort(key=lambda each: each[0].start)
        while found:
            command, last = found.pop()
            before = [x for x in found if not exclusive(x[0].context, command.context)]
            yield Left(command, last, [launch for _, launch in before])
            found = [each for each in found if each not in before]


def left_behind(launch: Launch) -> Command | None:
    """The command of a script that starts a step of Slurm's in the background, where nothing behind
    it keeps the batch script from ending; None where something may."""
    if launch.detached or "srun" not in launch.wrappers:
        return None
    flow: Sequence[Any] = launch.flow
    if "sbatch" in launch.wrappers:  # without the script that submits it
        flow = [command for command in flow if command.script is not flow[-1].script]
    elif not flow or flow[-1].script.document.kind != "slurm":
        return None
    left: Command | None = None
    for command in flow:
        if left is not None and command.script is left.script:
            left = command  # which calls the function: a shell waits for its own jobs only
        elif left is None and _is_job(command):
            left = command
        if left is not None and not _ends_behind(command):
            return None
    return left


def _is_job(command: Command) -> bool:
    """Whether `&` lets the script, or the function, go on beside a command."""
    for context in command.context.chain():
        if context.kind == "function":
            return False
        if context.kind == "job":
            return True
    return False


def _ends_behind(command: Command) -> bool:
    """Whether the script, or the function, that holds a command is over at once behind it."""
    script, body = command.script, command.context.inside("function")
    loop = command.context.inside("loop")
    ends = body.end if body is not None and body.end else len(script.fragment.text)
    for other in script.commands:
        if other is command or exclusive(command.context, other.context):
            continue
        if other.name in _KEEPING:
            if other.start > command.start or other.name == "trap":
                return False
            if other.context.inside("function") or other.context.shares_loop(command.context):
                return False
        own = other.context.inside("function")
        if own is not body or not command.end <= other.start < ends:
            continue
        if other.name not in _BRIEF and not _is_beside(other, command, loop):
            return False
    rest = _COMMENT.sub("", script.fragment.text[command.statement_end : ends])
    return _TAKES_TIME.search(rest) is None


def _is_beside(other: Command, command: Command, loop: object) -> bool:
    """Whether a later command runs in the background itself, as the next of several nodes does."""
    return _is_job(other) and (loop is None or other.context.inside("loop") is loop)


def _is_of_subshell(command: Command) -> bool:
    """Whether the job is one of a shell in brackets, for which only that shell can wait."""
    around = [context.kind for context in command.context.chain()]
    return "job" in around and "subshell" in around[around.index("job") :]


def wait_below(command: Command) -> Edit | None:
    """The edit that lets the script wait for its jobs: below a command, or below its loop."""
    fragment = command.script.fragment
    if getattr(fragment, "takes_lines", True) is False or _is_of_subshell(command):
        return None
    loop = command.context.inside("loop")
    text, after = fragment.text, command.statement_end if loop is None else loop.end
    line = text.find("\n", after)
    start = text.rfind("\n", 0, command.line_start if loop is None else after) + 1
    indent = text[start : len(text) - len(text[start:].lstrip(" \t"))]
    if line < 0:
        return fragment.edit(len(text), len(text), f"\n{indent}wait\n")
    return fragment.edit(line + 1, line + 1, f"{indent}wait\n")
