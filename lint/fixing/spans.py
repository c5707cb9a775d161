"""Edits of one text in the order of their places, to be asked for those near a span."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate

from cfglint.model.edit import Edit
from cfglint.text import Span


class Taken:
    """Edits as they are chosen, one after the other."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._edits: list[Edit] = []
        self._longest = 0  # code points that one of them replaces

    def add(self, edit: Edit) -> None:
        """Take one more."""
        at = bisect_right(self._starts, edit.span.start)
        self._starts.insert(at, edit.span.start)
        self._edits.insert(at, edit)
        self._longest = max(self._longest, edit.span.end - edit.span.start)

    def near(self, span: Span) -> Iterator[Edit]:
        """Those that share text with a span or touch it, and perhaps some beside it."""
        first = bisect_left(self._starts, span.start - self._longest)
        yield from self._edits[first : bisect_right(self._starts, span.end)]


class Shift:
    """How far edits that are all made move what stands in the text."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        grown = [(e.span, len(e.text) - (e.span.end - e.span.start)) for e in edits]
        by_start = sorted((span.start, more) for span, more in grown)
        by_end = sorted((span.end, more) for span, more in grown)
        self._starts = [at for at, _ in by_start]
        self._ends = [at for at, _ in by_end]
        self._begun = [0, *accumulate(more for _, more in by_start)]
        self._over = [0, *accumulate(more for _, more in by_end)]
        self._put: Counter[int] = Counter()  # what is inserted, by place
        for span, more in grown:
            if span.start == span.end:
                self._put[span.start] += more

    def moved(self, span: Span) -> Span:
        """Where a span of the old text lies in the new one; what an edit replaces goes with it."""
        start = span.start + self._over[bisect_right(self._ends, span.start)]
        end = span.end + self._begun[bisect_left(self._starts, span.end)]
        if span.start == span.end:
            end += self._put[span.start]  # it goes in front, though it does not begin before
        return Span(start, max(start, end))
