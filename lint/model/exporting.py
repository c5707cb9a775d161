"""One line of a script that sets a variable for several of its commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cfglint.model.edit import Edit
from cfglint.model.launch import Launch

if TYPE_CHECKING:
    from cfglint.syntax.shell import Command

# Nodes whose children are statements, each on lines of its own.
_BODIES = frozenset(("program", "compound_statement", "do_group"))


def shared_line(launch: Launch, others: Sequence[Launch], edit: Edit) -> Edit:
    """The edit that puts a launch's `export` line above the first command of its script that wants
    it as well; the edit itself where it is no such line, or no place is above all of them."""
    if not launch.flow or not edit.text.startswith("export "):
        return edit
    script = launch.flow[0].script
    alike = (
        x.flow[0]
        for x in others
        if x.flow and x.flow[0].script is script and not x.host and x.wrappers == launch.wrappers
    )
    wanting = [launch.flow[0], *alike]
    first: Command = min(wanting, key=_start)
    last: Command = max(wanting, key=_start)
    start = _above(first, last) if first is not last else None
    if start is None:
        return edit
    fragment = script.fragment
    head = fragment.text[:start]
    indent = head[max(head.rfind("\n"), head.rfind("\r")) + 1 :]
    if indent.strip():
        return edit
    line = edit.text.rstrip(" \t") + indent
    return fragment.edit(start, start, line) or edit


def _start(command: Command) -> int:
    return command.start


def _above(first: Command, last: Command) -> int | None:
    """Where the statement begins that holds the first of several commands and stands in the
    innermost body that holds the last one, too, and with it all between."""
    around = {node.id for node in _upwards(last.node)}
    below = first.node
    for node in _upwards(first.node):
        if node.type in _BODIES and node.id in around:
            start: int = first.script.index(below.start_byte)
            return start
        below = node
    return None


def _upwards(node: Any) -> list[Any]:
    found = []
    while node is not None:
        found.append(node)
        node = node.parent
    return found
