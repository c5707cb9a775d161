"""Paths of files that a text mentions, found by their endings."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cfglint.patterns import lazy

_LONGEST = 255  # characters of a path that are looked at; no file name is longer
_TAIL = lazy(r"[\w./+-]+\Z", re.ASCII)


def by_endings(endings: Iterable[str]) -> re.Pattern[str]:
    """What finds names with one of the endings (".sh"), or names that have none ("Makefile")."""
    either = "|".join(map(re.escape, sorted(endings, key=len, reverse=True)))
    return re.compile(rf"(?:{either})(?![\w-])")


def paths(text: str, endings: re.Pattern[str]) -> set[str]:
    """The paths with these endings in a text, as far as they are written out.

    A search for the endings reads a long text many times faster than one for whole names.
    """
    found: set[str] = set()
    for match in endings.finditer(text):
        start, end = match.span()
        # What stands in front of the ending without a blank is short, nearly always.
        head = text[max(0, start - _LONGEST) : start].rsplit(None, 1)
        tail = _TAIL.search(head[-1]) if head and not text[start - 1].isspace() else None
        found.add((tail.group() if tail is not None else "") + text[start:end])
    return found


def names(text: str, endings: re.Pattern[str]) -> set[str]:
    """The file names with these endings in a text, without their folders."""
    return {path.rsplit("/", 1)[-1] for path in paths(text, endings)}
