"""Jobs in the background that a batch script leaves behind when it ends.

Sources: Slurm, FAQ ("Why is my batch job that launches no job steps being killed?": a step in the
background is purged when the script exits) and job launch guide, "Job Termination"; slurmctld,
proc_req.c and job_mgr.c: the end of the batch script completes the job, whose nodes are released;
slurmstepd, mgr.c: SIGKILL for what the script has started itself, as soon as the script has exited.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cfglint.commands.background import outermost_job, wait_below
from cfglint.model.flow import exclusive
from cfglint.record import dataclass

if TYPE_CHECKING:
    from cfglint.model.edit import Edit
    from cfglint.model.launch import Launch
    from cfglint.syntax.shell import Command

# Commands that are over at once and keep nothing alive.
BRIEF = frozenset(
    """
    echo printf date exit return export unset set shopt cd ls pwd hostname true : disown jobs mkdir
    touch rm module deactivate declare local readonly [ [[ test
    """.split()  # noqa: SIM905 (a table)
)
_KEEPING = frozenset(("wait", "swait", "trap"))
_FOREIGN = frozenset(("docker run", "docker exec", "ssh", "pdsh", "tmux", "screen"))
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

    def wait_below(self) -> Edit | None:
        """The edit that lets the script wait for all of them."""
        return wait_below(self.command)


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
    """The command of a script that starts a launch in the background, where nothing behind it
    keeps the batch script from ending; None where something may, or where the launch is none of
    Slurm's processes."""
    if launch.detached or not ("srun" in launch.wrappers or _is_own_process(launch)):
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


def _is_own_process(launch: Launch) -> bool:
    """Whether a launch is a process of the batch script's own: no daemon, other machine or session
    of its own has it."""
    if launch.host or not _FOREIGN.isdisjoint(launch.wrappers):
        return False
    return all("setsid" not in command.raw for command in launch.flow)


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
    loop, job = command.context.inside("loop"), outermost_job(command)
    ends = body.end if body is not None and body.end else len(script.fragment.text)
    for other in script.commands:
        if other is command or exclusive(command.context, other.context):
            continue
        if other.name in _KEEPING:
            if job is not None and job in other.context.chain():
                continue  # a job waits for its own jobs
            if other.start > command.start or other.name == "trap":
                return False
            if other.context.inside("function") or other.context.shares_loop(command.context):
                return False
        own = other.context.inside("function")
        if own is not body or not command.end <= other.start < ends:
            continue
        if other.name not in BRIEF and not _is_beside(other, command, loop):
            return False
    rest = _COMMENT.sub("", script.fragment.text[command.statement_end : ends])
    return _TAKES_TIME.search(rest) is None


def _is_beside(other: Command, command: Command, loop: object) -> bool:
    """Whether a later command runs in the background itself, as the next of several nodes does."""
    return _is_job(other) and (loop is None or other.context.inside("loop") is loop)
