"""Launches that a blank behind a backslash, or a slash in its place, cuts short (SYN007).

What a script says by itself is found where scripts are read: here are blanks in the shell text of
another file, and slashes that a launcher takes for its program.
"""

from __future__ import annotations

from cfglint.model.edit import Edit
from cfglint.model.launch import Launch
from cfglint.patterns import lazy
from cfglint.record import dataclass
from cfglint.text import Span

_BLANK_AFTER = lazy(r"(?<!\\)\\[ \t]+(?=[\r\n]|\Z)")
_NEAR = 40  # how far behind a command its line's end is looked for
_FOLLOWS = lazy(
    r"(?:[\r\n]+|\\n\",\s*\")[ \t]*"  # the end of a line, as it is or in a notebook's JSON
    r"(?P<first>(?:--?[A-Za-z]|-m[ \t]|[\w./-]+\.(?:py|ya?ml)\b|\+{0,2}[A-Za-z_]\w*(?:\.\w+)+=)"
    r"[^\s\"]*)"
)


_LINE_ENDS = lazy(r"[ \t]*(?=\r?\n[ \t]*(?P<first>[^\s#]\S*))")


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """The backslash and its blanks, or the slash; the word that the next line begins with, and the
    edit that lets the line go on."""

    span: Span
    first: str
    edit: Edit | None


def broken_line(launch: Launch) -> BrokenLine | None:
    """Where the line of a launch breaks off, None where it does not."""
    if not launch.flow:
        return None
    command = launch.flow[0]
    fragment = command.script.fragment
    text, source = fragment.text, launch.document.source.text
    match = _BLANK_AFTER.search(text, command.start, command.end + _NEAR)
    if match is None or text[command.end : match.start()].strip(" \t"):
        return None
    if match.end() < len(text) and text[match.end()] not in "\r\n":
        return None
    span = fragment.span(match.start(), match.end())
    if _is_told(launch, span.start):
        return None
    # a recipe's line ends with it: make joins no lines there
    rest = text[match.end() :] or source[span.end : span.end + 200]
    following = _FOLLOWS.match(rest)
    if following is None:
        return None
    edit = fragment.edit(match.start() + 1, match.end(), "")
    return BrokenLine(span, following["first"], edit)


def slash_for_backslash(launch: Launch) -> BrokenLine | None:
    """Where the launcher's program is `/` and its line ends: a backslash was meant."""
    program = launch.program
    if program is None or program.text != "/" or launch.document.kind not in ("script", "slurm"):
        return None
    source = launch.document.source.text
    end = _LINE_ENDS.match(source, program.span.end)
    if end is None or source[program.span.start : program.span.end] != "/":
        return None
    if _is_told(launch, program.span.start) or _is_told(launch, end.start("first")):
        return None
    span = Span(program.span.start, end.end())
    return BrokenLine(program.span, end["first"], Edit(launch.document.path, span, "\\"))


def _is_told(launch: Launch, at: int) -> bool:
    """Whether the reader has found a broken line at a place."""
    problems = (p for p in launch.document.problems if p.code == "SYN007")
    return any(p.span.start <= at < p.span.end for p in problems)
