"""Edits on a JSON file: text for one place, and what it declares to change in the data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from cfglint.model.document import Document
from cfglint.model.edit import Append, DropComment, Edit, Insert, Remove, Rename, Set
from cfglint.model.tree import Entry, Mapping, Node, Path, Scalar, Sequence, path_of, walk
from cfglint.syntax import flow_items
from cfglint.text import Span


def _path(document: Document, node: Node) -> Path | None:
    if document.root is None:
        return None
    path = path_of(document.root, node)
    return None if path is None else (0, *path)


def set_value(document: Document, node: Node, value: Any) -> Edit | None:
    """Give a value another one."""
    path = _path(document, node)
    if path is None:
        return None
    written = document.source.text[node.start : node.end]
    comma = "," if written.endswith(",") else ""  # of a string without quotes
    return Edit(document.path, node.span, dumps(value) + comma, (Set(path, value),))


def rename_key(document: Document, entry: Entry, name: str) -> Edit | None:
    """Call a key another name."""
    path = _path(document, entry.value)
    key = entry.key
    if path is None or not isinstance(key, Scalar):
        return None
    return Edit(document.path, key.span, dumps(name), (Rename((*path[:-1], key.text), name),))


def remove_entry(document: Document, mapping: Mapping, entry: Entry) -> Edit | None:
    """Take a key and its value away, one of its commas with it."""
    path = _path(document, mapping)
    if path is None or entry.name is None or entry not in mapping.entries:
        return None
    if sum(1 for e in mapping.entries if e.name == entry.name) > 1:
        return None
    spans = [e.span for e in mapping.entries]
    span, text = _cut(document, mapping, spans, mapping.entries.index(entry))
    return Edit(document.path, span, text, (Remove((*path, entry.name)),))


def remove_item(document: Document, sequence: Sequence, item: Node) -> Edit | None:
    """Take an item out of a list, one of its commas with it."""
    path = _path(document, sequence)
    if path is None:
        return None
    number = next(i for i, one in enumerate(sequence.items) if one is item)
    span, text = _cut(document, sequence, [i.span for i in sequence.items], number)
    return Edit(document.path, span, text, (Remove((*path, number)),))


def insert_entry(
    document: Document, mapping: Mapping, name: str, value: Any, after: Entry | None = None
) -> Edit | None:
    """Add a key behind the entry `after` or the last one, on a line of its own where those are."""
    path = _path(document, mapping)
    if path is None or name in mapping:
        return None
    change = (Set((*path, name), value),)
    source = document.source
    if not mapping.entries:
        span = Span(mapping.start + 1, mapping.end - 1)
        if source.slice(span).strip():
            return None  # a comment stands there
        return Edit(document.path, span, f"{dumps(name)}: {dumps(value)}", change)
    previous = after if after in mapping.entries and after is not None else mapping.entries[-1]
    at = previous.span.end
    line = source.line_of(previous.span.start)
    lead = source.text[line.start : previous.span.start]
    if lead.strip():
        return Edit(document.path, Span(at, at), f", {dumps(name)}: {dumps(value)}", change)
    opening = source.line_of(mapping.start)
    outer = source.text[opening.start : opening.end]
    unit = lead.removeprefix(outer[: len(outer) - len(outer.lstrip())]) or "  "
    text = dumps(value, lead, source.newline, unit)
    written = f"{source.newline}{lead}{dumps(name)}: {text}"
    # A comment behind the previous entry stays on that entry's line.
    end = source.line_of(at).end
    rest = source.text[at:end]
    comma, comment = _TAIL.match(rest).groups()  # type: ignore[union-attr]
    if not comment:
        return Edit(document.path, Span(at, at), f",{written}", change)
    if comma:
        return Edit(document.path, Span(end, end), f"{written},", change)
    return Edit(document.path, Span(at, end), f",{rest}{written}", change)


# What may follow an entry on its line: its comma and one whole comment.
# What Python calls them, with the comma that Hjson takes for a part of the string.
_PYTHON = re.compile(r"(True|False|None)(,?)")
_CONSTANTS = {"True": True, "False": False, "None": None}
_TAIL = re.compile(r"[ \t]*(,?)[ \t]*((?://|#)[^\r\n]*\Z|/\*(?:(?!\*/)[^\r\n])*\*/[ \t]*\Z)?")


def append_item(document: Document, sequence: Sequence, value: Any) -> Edit | None:
    """Add an item at the end of a list."""
    path = _path(document, sequence)
    if path is None:
        return None
    at = sequence.items[-1].end if sequence.items else sequence.start + 1
    lead = ", " if sequence.items else ""
    return Edit(document.path, Span(at, at), lead + dumps(value), (Append(path, value),))


def insert_items(
    document: Document, sequence: Sequence, after: Node, texts: Iterable[str]
) -> Edit | None:
    """Put strings behind an item of a list, in the list's layout."""
    path = _path(document, sequence)
    if path is None:
        return None
    values = tuple(texts)
    number = next(i for i, one in enumerate(sequence.items) if one is after) + 1
    written = [dumps(value) for value in values]
    span, text = flow_items.place(document.source, sequence, after, written)
    return Edit(document.path, span, text, (Insert(path, number, values),))


def _cut(
    document: Document, node: Mapping | Sequence, spans: list[Span], number: int
) -> tuple[Span, str]:
    """What to replace, and by what, so that an entry and one of its commas go.

    Whole lines where the entry has them to itself. A comment that stands between the last entry
    and the comma before it is written again.
    """
    source = document.source
    text = source.text
    span = spans[number]
    own = source.line_of(span.start)
    alone = text[own.start : span.start].strip() == ""
    if number + 1 < len(spans):
        following = spans[number + 1].start
        line = source.line_of(following)
        if alone and text[line.start : following].strip() == "":
            return Span(own.start, _line_start_after(document, span.end, following)), ""
        return Span(span.start, following), ""
    tail = _comma(document, span.end, node.end)
    if tail is not None and text[span.end : tail].strip() == "":
        line = source.line_of(tail)
        if alone and text[tail + 1 : line.end].strip() == "":
            return Span(own.start, source.line_end_after(tail)), ""
        return Span(span.start, tail + 1), ""
    comma = _comma(document, spans[number - 1].end, span.start) if number else None
    if comma is None:
        return span, ""
    return Span(comma, span.end), text[comma + 1 : span.start].rstrip()


def _comma(document: Document, start: int, end: int) -> int | None:
    """The first comma of a range that stands in no comment."""
    for match in re.compile(",").finditer(document.source.text, start, end):
        at = match.start()
        if not any(comment.start <= at < comment.end for comment in document.tree.comments):
            return at
    return None


def _line_start_after(document: Document, offset: int, limit: int) -> int:
    """The start of the line behind the entry's own, or `limit` where the next one shares it."""
    end = document.source.line_end_after(offset)
    return end if end <= limit else limit


def dumps(value: Any, indent: str | None = None, newline: str = "\n", unit: str = "  ") -> str:
    """Strict JSON text. With `indent`, mappings take lines of their own below that indentation,
    each level by `unit` deeper."""
    if indent is not None and isinstance(value, dict) and value:
        inner = indent + unit
        lines = [
            f"{inner}{json.dumps(k)}: {dumps(v, inner, newline, unit)}" for k, v in value.items()
        ]
        return "{" + newline + f",{newline}".join(lines) + newline + indent + "}"
    return json.dumps(value, ensure_ascii=False)


# -- strict JSON -----------------------------------------------------------------------------------


def make_strict(document: Document) -> list[Edit] | None:
    """The edits that turn a file with Hjson's liberties into strict JSON of the same data, None
    where one of them cannot be undone by a local edit (a string without quotes, a byte order mark,
    a root without braces). Python's True, False and None, which Hjson takes for strings together
    with the comma behind them, become what they mean."""
    text, edits = document.source.text, []
    with_comma = -1  # the end of a value that has taken its comma along
    for deviation in document.tree.deviations:
        span = deviation.span
        written = text[span.start : span.end]
        if deviation.kind == "quoteless-string" and (python := _PYTHON.fullmatch(written)):
            scalar = _scalar_at(document, span)
            edit = set_value(document, scalar, _CONSTANTS[python[1]]) if scalar else None
            if edit is None:
                return None
            edits.append(edit)
            with_comma = span.end if python[2] else -1
            continue
        if deviation.kind == "comment":
            gone = _whole_line(document, span)
            edits.append(Edit(document.path, gone, "", (DropComment(written),)))
        elif deviation.kind == "trailing-comma":
            edits.append(Edit(document.path, span, ""))
        elif deviation.kind == "missing-comma":
            if _value_end(document, span).start == with_comma:
                continue
            edits.append(Edit(document.path, _value_end(document, span), ","))
        elif deviation.kind in ("single-quotes", "unquoted-key"):
            scalar = _scalar_at(document, span)
            if scalar is None:
                return None
            edits.append(Edit(document.path, span, dumps(scalar.text)))
        elif deviation.kind != "nan":
            return None
    return edits


def _whole_line(document: Document, span: Span) -> Span:
    """A comment with the blanks before it, and with its line where nothing else stands there."""
    text, source = document.source.text, document.source
    first = source.line_span(source.position(span.start)[0])
    last = source.line_span(source.position(span.end)[0])
    before, after = text[first.start : span.start], text[span.end : last.end]
    if not before.strip() and not after.strip():
        return Span(first.start, source.line_end_after(span.end))
    if not after.strip():
        return Span(first.start + len(before.rstrip()), last.end)
    return span


def _value_end(document: Document, span: Span) -> Span:
    """Where the comma belongs that is missing before an offset: behind the value, not a comment."""
    ends = [node.end for node in walk(document.root) if node.end <= span.start]
    at = max(ends, default=span.start)
    return Span(at, at)


def _scalar_at(document: Document, span: Span) -> Scalar | None:
    found = (n for n in walk(document.root) if n.start == span.start and n.end == span.end)
    return next((n for n in found if isinstance(n, Scalar)), None)
