"""A shell text inside another text: the argument of `bash -c`, a command that compose interpolates.

The inner text is what the inner shell sees; edits go back through the outer text with its quoting.
What the outer side expands is handed over as known parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import overload

from cfglint.model.edit import Edit
from cfglint.model.fragment import Fragment
from cfglint.model.values import Literal
from cfglint.record import replace
from cfglint.syntax.shell_scanner import Scanner
from cfglint.syntax.shell_words import Part, ShellWord

Known = dict[int, Part]


_BREAK = 3  # a backslash and a line break, which no shell sees


class Straight(Sequence[tuple[int, int]]):
    """The ranges of code points that stand one behind the other, from `low` to `high`."""

    __slots__ = ("high", "low")

    def __init__(self, low: int, high: int) -> None:
        self.low = low
        self.high = high

    def __len__(self) -> int:
        return self.high - self.low

    @overload
    def __getitem__(self, index: int) -> tuple[int, int]: ...
    @overload
    def __getitem__(self, index: slice) -> list[tuple[int, int]]: ...
    def __getitem__(self, index: int | slice) -> tuple[int, int] | list[tuple[int, int]]:
        places = range(self.low, self.high)[index]
        if isinstance(places, range):
            return [(at, at + 1) for at in places]
        return (places, places + 1)


class Nested(Fragment):
    """A text whose code points stand at ranges of a parent fragment's text.

    `quotes` is the quoting it stands in, or that of each code point. `interpolates` says that
    `${NAME:-default}` is replaced before any shell runs, whatever the quotes (compose).
    `takes_lines` says that it has lines of its own, as a file has.
    """

    __slots__ = ("interpolates", "parent", "quotes", "ranges", "takes_lines")

    def __init__(
        self,
        parent: Fragment,
        text: str,
        ranges: Sequence[tuple[int, int]],
        quotes: str | Sequence[str] = "",
        interpolates: bool = False,
    ) -> None:
        if isinstance(ranges, Straight) and parent.offsets is None:
            super().__init__(parent.path, text, parent.base + ranges.low)
        else:
            offsets = [parent.offset(low) for low, _ in ranges]
            offsets.append(parent.span(*ranges[-1]).end if ranges else parent.offset(0))
            super().__init__(parent.path, text, offsets=offsets)
        self.parent = parent
        self.ranges = ranges
        self.quotes = quotes
        self.interpolates = interpolates or interpolated(parent)
        self.takes_lines = False

    def edit(self, start: int, end: int, new: str) -> Edit | None:
        if not self.ranges:
            return None
        low = self.ranges[start][0] if start < len(self.ranges) else self.ranges[-1][1]
        high = self.ranges[end - 1][1] if end > start else low
        covered = self.ranges[start:end]
        if any(not self._adjoin(a, b) for a, b in pairwise(covered)):
            return None  # it runs over several pieces of the file
        quotes = self.quotes
        if not isinstance(quotes, str):
            quotes = quotes[min(start, len(quotes) - 1)]
        escaped = _escaped(new, quotes, self.interpolates)
        return None if escaped is None else self.parent.edit(low, high, escaped)

    def _adjoin(self, one: tuple[int, int], other: tuple[int, int]) -> bool:
        """Whether two code points stand one behind the other, or on lines of which one follows
        the other (what the text leaves out of the second is its indentation)."""
        if 0 <= other[0] - one[0] <= one[1] - one[0] + _BREAK:
            return True
        between = self.parent.text[one[1] : other[0]]
        return one[1] <= other[0] and not between.strip(" \t")


def interpolated(fragment: Fragment) -> bool:
    """Whether something replaces `${NAME:-default}` in a fragment before the shell sees it."""
    return isinstance(fragment, Nested) and fragment.interpolates


def _escaped(text: str, quote: str, interpolates: bool) -> str | None:
    if quote == '"':
        return re.sub(r'([\\"`])' if interpolates else r'([\\"$`])', r"\\\1", text)
    if quote == "<<":  # a here-document, in which quotes mean nothing
        return re.sub(r"([\\`])" if interpolates else r"([\\$`])", r"\\\1", text)
    if quote == "'":
        return None if "'" in text else text
    if quote == "$'":
        return None
    return text


def inner(word: ShellWord, resolve: Callable[[Part], Part]) -> tuple[Nested, Known]:
    """The text that a shell gets as its script in `word`, and what is expanded in it already.

    `resolve` gives an outer expansion its value and sources. A variable of the same text that
    holds several words is followed to where it is assigned: they are part of the script.
    """
    if len(word.parts) == 1 and not word.parts[0].known:
        only = word.parts[0]
        if isinstance(only.value, Literal) and only.end - only.start == len(only.value.text):
            places = Straight(only.start, only.end)
            return Nested(word.fragment, only.value.text, places, only.quote), {}
    text: list[str] = []
    ranges: list[tuple[int, int]] = []
    quotes: list[str] = []
    known: Known = {}

    def add(parts: Sequence[Part], depth: int) -> None:
        for part in parts:
            if isinstance(part.value, Literal) and not part.known:
                piece = part.value.text
                if part.end - part.start == len(piece):
                    ranges.extend(Straight(part.start, part.end)[:])
                else:
                    ranges.extend([(part.start, part.end)] * len(piece))
            else:
                assigned = _assigned_words(part, word.fragment)
                if assigned is not None and depth < _MAX_DEPTH:
                    add(assigned.parts, depth + 1)
                    continue
                piece = word.fragment.text[part.start : part.end]
                known[len(ranges)] = replace(
                    resolve(part), start=len(ranges), end=len(ranges) + len(piece), known=True
                )
                ranges.extend(Straight(part.start, part.end)[:])
            text.append(piece)
            quotes.extend([part.quote] * len(piece))

    add(word.parts, 0)
    same = set(quotes)
    quoting: str | Sequence[str] = same.pop() if len(same) == 1 else quotes
    return Nested(word.fragment, "".join(text), ranges, quoting), known


_MAX_DEPTH = 8


def _assigned_words(part: Part, fragment: Fragment, depth: int = 0) -> ShellWord | None:
    """The assigned text of an expansion that holds more than one word, if it stands here too."""
    if len(part.sources) != 1:
        return None
    word = getattr(part.sources[0].place, "word", None)
    if not isinstance(word, ShellWord) or word.fragment is not fragment:
        return None
    several = any(
        isinstance(p.value, Literal) and re.search(r"\s", p.value.text) for p in word.parts
    )
    nested = depth < _MAX_DEPTH and any(
        _assigned_words(p, fragment, depth + 1) is not None for p in word.parts if p.sources
    )
    return word if several or nested else None


def interpolate(fragment: Fragment, resolve: Callable[[Part], Part]) -> tuple[Nested, Known]:
    """The text a shell sees after compose: `$$` is one `$`, variables are known."""
    source = fragment.text
    scanner = Scanner(source)
    text = ""
    ranges: list[tuple[int, int]] = []
    known: Known = {}
    at = 0
    while at < len(source):
        if source.startswith("$$", at):
            text += "$"
            ranges.append((at, at + 2))
            at += 2
        elif source[at] == "$" and source[at + 1 : at + 2] not in ("(", "'", '"'):
            part = scanner.expansion(at, len(source), "", (0, 0))
            if not isinstance(part.value, Literal):
                known[len(text)] = replace(
                    resolve(part),
                    start=len(text),
                    end=len(text) + part.end - at,
                    known=True,
                )
            text += source[at : part.end]
            ranges += [(i, i + 1) for i in range(at, part.end)]
            at = part.end
        else:
            text += source[at]
            ranges.append((at, at + 1))
            at += 1
    return Nested(fragment, text, ranges, interpolates=True), known
