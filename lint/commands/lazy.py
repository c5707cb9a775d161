"""Words of a command that are read and expanded as far as somebody looks.

Most of a training command are the program's arguments, in which few are interested.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from cfglint.syntax.shell_words import ShellWord


class LazyWords(Sequence[ShellWord]):
    """Words of a command, read and expanded as far as somebody looks."""

    __slots__ = ("_found", "_from", "_more")

    def __init__(
        self, more: Iterator[ShellWord], found: list[ShellWord] | None = None, start: int = 0
    ) -> None:
        self._more = more
        self._found = [] if found is None else found
        self._from = start

    def _reach(self, count: int | None) -> None:
        while count is None or len(self._found) < count:
            word = next(self._more, None)
            if word is None:
                break
            self._found.append(word)

    @overload
    def __getitem__(self, index: int) -> ShellWord: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ShellWord]: ...
    def __getitem__(self, index: int | slice) -> ShellWord | Sequence[ShellWord]:
        if isinstance(index, int):
            at = self._from + index
            if index >= 0 and at < len(self._found):
                return self._found[at]
            self._reach(at + 1 if index >= 0 else None)
            return self._found[at] if index >= 0 else self._found[index]
        start = index.start or 0
        if start >= 0 and index.stop is None:
            return LazyWords(self._more, self._found, self._from + start)
        if start >= 0 and index.stop is not None and index.stop >= 0:
            self._reach(self._from + index.stop)
            return self._found[self._from + start : self._from + index.stop]
        self._reach(None)
        return self._found[self._from :][index]

    def __bool__(self) -> bool:
        self._reach(self._from + 1)
        return len(self._found) > self._from

    def __len__(self) -> int:
        self._reach(None)
        return max(len(self._found) - self._from, 0)

    def __iter__(self) -> Iterator[ShellWord]:
        at, found = self._from, self._found
        while True:
            if at >= len(found):
                self._reach(at + 1)
                if at >= len(found):
                    return
            yield found[at]
            at += 1
