"""Where new items go in a list between brackets, YAML's or JSON's, so that its layout stays."""

from __future__ import annotations

import re

from cfglint.model.tree import Node, Sequence
from cfglint.text import SourceText, Span

_COMMA = re.compile(r"[ \t]*,")


def place(
    source: SourceText, sequence: Sequence, after: Node, written: list[str]
) -> tuple[Span, str]:
    """What to replace, and by what, so that the `written` items stand behind the item `after`.

    An item that has a line to itself gets followers with lines of their own; the comment behind it
    stays on its line.
    """
    text, end = source.text, after.end
    beside = Span(end, end), "".join(f", {one}" for one in written)
    line = source.line_of(after.start)
    indent = text[line.start : after.start]
    following = next((i.start for i in sequence.items if i.start >= end), sequence.end - 1)
    below = source.line_end_after(end)
    if indent.strip() or below > following:
        return beside
    if _COMMA.match(text, end):
        lines = (f"{indent}{one},{source.newline}" for one in written)
        return Span(below, below), "".join(lines)
    if following != sequence.end - 1:
        return beside
    last = source.line_of(end).end
    lines = (f"{source.newline}{indent}{one}" for one in written)
    return Span(end, last), "," + text[end:last] + ",".join(lines)
