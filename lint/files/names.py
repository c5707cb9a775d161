"""Paths of files that a text mentions, found by their endings."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cfglint.patterns import lazy
from cfglint.record import dataclass

_LONGEST = 255  # characters of a path that are looked at; no file name is longer
_TAIL = lazy(r"[\w./+-]+\Z", re.ASCII)
_WHOLE = lazy(r"[\w./+-]+", re.ASCII)


@dataclass(slots=True)
class Endings:
    """What names of files end with: a suffix (".sh"), or the whole of a name that has none."""

    suffix: re.Pattern[str] | None
    whole: frozenset[str]


def by_endings(endings: Iterable[str]) -> Endings:
    """What finds names with one of the endings (".sh"), or names that have none ("Makefile")."""
    known = set(endings)
    # All begin with a dot, which is what a search is fast by; any number of them costs the same.
    suffixes = sorted((one[1:] for one in known if one[0] == "."), key=len, reverse=True)
    either = "|".join(map(re.escape, suffixes))
    suffix = re.compile(rf"\.(?:{either})(?![\w-])") if suffixes else None
    return Endings(suffix, frozenset(one for one in known if one[0] != "."))


def paths(text: str, endings: Endings) -> set[str]:
    """The paths with these endings in a text, as far as they are written out.

    A search for the endings reads a long text many times faster than one for whole names.
    """
    found: set[str] = set()
    for match in endings.suffix.finditer(text) if endings.suffix is not None else ():
        start, end = match.span()
        # What stands in front of the ending without a blank is short, nearly always.
        head = text[max(0, start - _LONGEST) : start].rsplit(None, 1)
        tail = _TAIL.search(head[-1]) if head and not text[start - 1].isspace() else None
        found.add((tail.group() if tail is not None else "") + text[start:end])
    if endings.whole:
        words = set(_WHOLE.findall(text))
        found.update(word for word in words if word.rsplit("/", 1)[-1] in endings.whole)
    return found


def names(text: str, endings: Endings) -> set[str]:
    """The file names with these endings in a text, without their folders."""
    return {path.rsplit("/", 1)[-1] for path in paths(text, endings)}
