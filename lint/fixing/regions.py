"""The entries of a large YAML document that an edit changes, each as a text that can be read alone.

An entry of a block mapping that begins on a line of its own is read the same wherever it stands:
the key behind it, at the same column, ends every scalar before it, and an entry whose quotes or
brackets were left open could not be read by itself. That holds where no anchor, directive or
document marker ties one part of the text to another.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from cfglint.model.tree import Mapping, Node, Scalar
from cfglint.patterns import lazy

SMALL = 4_000  # characters; a shorter entry is read whole
_TIES = lazy(r"(?:^|[\s\[{,:-])[&*][^\s&*]|^(?:%|---|\.\.\.)", re.M)
_EMPTY = lazy(r"(?: *\r?\n)*")
Read = Callable[[str], list[Any]]


class _Part(NamedTuple):
    """An entry's text and its value's node; `start` and `end` are offsets of the file."""

    text: str
    value: Node
    start: int
    end: int


def changed(
    old: str, before: Node, new: str, after: Node, read: Read
) -> tuple[list[Any], list[Any]] | None:
    """The data of two documents as `read` gives it, where an entry that is the same in both stands
    for itself as its text; None where they cannot be taken apart."""
    if _has_ties(old) or _has_ties(new):
        return None
    found = _compare(
        _Part(old, before, 0, len(old)), old, _Part(new, after, 0, len(new)), new, read
    )
    return None if found is None else ([found[0]], [found[1]])


def _has_ties(text: str) -> bool:
    above = _EMPTY.match(text)  # all that stands above an embedded document
    return _TIES.search(text, above.end() if above else 0) is not None


def _compare(
    one: _Part, old: str, other: _Part, new: str, read: Read
) -> tuple[dict[Any, Any], dict[Any, Any]] | None:
    mine, theirs = _parts(one, old), _parts(other, new)
    if mine is None or theirs is None or mine[0] != theirs[0]:
        return None
    before: dict[Any, Any] = {}
    after: dict[Any, Any] = {}
    for name in dict.fromkeys([*mine[1], *theirs[1]]):
        left, right = mine[1].get(name), theirs[1].get(name)
        if left is not None and right is not None:
            if left.text == right.text:
                before[name] = after[name] = left.text
                continue
            if len(left.text) > SMALL:
                inside = _compare(left, old, right, new, read)
                if inside is not None:
                    before[name], after[name] = inside
                    continue
        for part, data in (left, before), (right, after):
            if part is None:
                continue
            whole = read(part.text)
            if len(whole) != 1 or not isinstance(whole[0], dict) or len(whole[0]) != 1:
                return None
            data.update(whole[0])
    return before, after


def _parts(part: _Part, text: str) -> tuple[str, dict[str, _Part]] | None:
    """What stands before the first entry of a block mapping, and its entries by their names; None
    for other values, and where an entry does not begin on a line of its own."""
    mapping = part.value
    if not isinstance(mapping, Mapping) or mapping.flow or not mapping.entries:
        return None
    starts = []
    for entry in mapping.entries:
        key = entry.key
        line = text.rfind("\n", 0, key.start) + 1
        plain = isinstance(key, Scalar) and entry.name is not None and key.tag is None
        if not plain or "\n" in text[key.start : key.end] or text[line : key.start].strip(" "):
            return None
        starts.append(line)
    columns = {entry.key.start - line for entry, line in zip(mapping.entries, starts, strict=True)}
    ends = [*starts[1:], part.end]
    found = {
        str(entry.name): _Part(text[start:end], entry.value, start, end)
        for entry, start, end in zip(mapping.entries, starts, ends, strict=True)
    }
    if len(columns) > 1 or len(found) < len(starts):
        return None
    return text[part.start : starts[0]], found
