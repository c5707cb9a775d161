"""Launches in the shell text of another file that a blank behind a backslash cuts short (SYN007).

What a script itself says so is found where scripts are read.
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


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """The backslash and its blanks, the word that the next line begins with, and the edit that
    takes the blanks away."""

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
    if any(
        p.code == "SYN007" and p.span.start <= span.start < p.span.end
        for p in launch.document.problems
    ):
        return None
    # a recipe's line ends with it: make joins no lines there
    rest = text[match.end() :] or source[span.end : span.end + 200]
    following = _FOLLOWS.match(rest)
    if following is None:
        return None
    edit = fragment.edit(match.start() + 1, match.end(), "")
    return BrokenLine(span, following["first"], edit)
