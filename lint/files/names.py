"""File names that a text mentions, found by their endings."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LONGEST = 255  # no file name is longer
_TAIL = re.compile(r"[\w.+-]+\Z", re.ASCII)
_NO_NAME = re.compile(r"[^\w.+-]", re.ASCII)


def by_endings(endings: Iterable[str]) -> re.Pattern[str]:
    """What finds names with one of the endings (".sh"), or names that have none ("Makefile")."""
    either = "|".join(map(re.escape, sorted(endings, key=len, reverse=True)))
    return re.compile(rf"(?:{either})(?![\w-])")


def mentioned(text: str, endings: re.Pattern[str]) -> set[str]:
    """The file names with these endings in a text, without their folders.

    A search for the endings reads a long text many times faster than one for whole names.
    """
    found: set[str] = set()
    for match in endings.finditer(text):
        start, end = match.span()
        # What stands in front of the ending without a blank or slash is short, nearly always.
        head = text[max(0, start - _LONGEST) : start].rsplit(None, 1)
        name = head[-1].rsplit("/", 1)[-1] if head and not text[start - 1].isspace() else ""
        if _NO_NAME.search(name) is not None:
            tail = _TAIL.search(name)
            name = tail.group() if tail is not None else ""
        found.add(name + text[start:end])
    return found
