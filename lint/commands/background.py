"""A command that its script goes on beside, and the `wait` for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cfglint.model.edit import Edit
from cfglint.syntax.shell_nested import Nested

if TYPE_CHECKING:
    from cfglint.syntax.shell import Command, Context

_INDENT = re.compile(r"[ \t]*")


def has_lines(command: Command) -> bool:
    """Whether lines can be added beside a command's."""
    fragment = command.script.fragment
    return not isinstance(fragment, Nested) or fragment.takes_lines


def breaks_off(command: Command) -> bool:
    """Whether a command was meant to go on behind its end: what is made of the whole of it would
    be made of a part (shell-continuation-broken)."""
    problems = (p for p in command.script.document.problems if p.code == "SYN007")
    return not isinstance(command.script.fragment, Nested) and any(
        command.start <= problem.span.start <= command.end for problem in problems
    )


def to_background(command: Command) -> list[Edit] | None:
    """The edits that put `&` behind a command and `wait` below it or the loop that holds it."""
    if not has_lines(command) or command.background or breaks_off(command):
        return None
    fragment, end = command.script.fragment, command.statement_end
    behind, below = _line_behind(fragment.text, end)
    loop = command.context.inside("loop")
    if loop is not None:
        _, below = _line_behind(fragment.text, loop.end)
    if behind.strip() or re.match(r"\s*wait\b", fragment.text[below:]):
        return None
    wait = _wait(command, loop, end)
    if wait is not None and end == len(fragment.text):  # one place, one edit
        both = fragment.edit(end, end, f" &{wait.text}")
        return [both] if both is not None else None
    start = fragment.edit(end, end, " &")
    return [start, wait] if start is not None and wait is not None else None


def wait_below(command: Command) -> Edit | None:
    """The edit that lets the script wait for its jobs below a command that is one of them, or in
    one, or below the loop around the job; None where no line can be added, or only the shell in
    brackets whose job it is could wait."""
    job = outermost_job(command)
    within = job.parent if job is not None else command.context
    if not has_lines(command) or (job is not None and within and within.inside("subshell")):
        return None
    loop = within.inside("loop") if within is not None else None
    return _wait(command, loop, job.end if job is not None else command.statement_end)


def outermost_job(command: Command) -> Context | None:
    """The outermost job of its script, or of its function, that a command is in."""
    found = None
    for context in command.context.chain():
        if context.kind == "function":
            break
        if context.kind == "job":
            found = context
    return found


def _wait(command: Command, loop: Context | None, end: int) -> Edit | None:
    """The edit that puts `wait` on a line of its own behind a loop, or else behind an index."""
    text, newline = command.script.fragment.text, command.script.document.source.newline
    end = end if loop is None else loop.end
    # A group ends on a line like its first one, a pipeline goes on on lines that are set in.
    lines = (text.rfind("\n", 0, at) + 1 for at in (command.line_start, end))
    indent = min((_INDENT.match(text, line)[0] for line in lines), key=len)  # type: ignore[index]
    _, below = _line_behind(text, end)
    before = "" if text[:below].endswith("\n") else newline
    return command.script.fragment.edit(below, below, f"{before}{indent}wait{newline}")


def _line_behind(text: str, at: int) -> tuple[str, int]:
    """What is left of the line at an index, and where the next one begins."""
    end = text.find("\n", at)
    return (text[at:], len(text)) if end < 0 else (text[at:end], end + 1)
