"""A shell text inside another text: the argument of `bash -c`, a command that compose interpolates.

The inner text is what the inner shell sees; edits go back through the outer text with its quoting.
What the outer side expands is handed over as known parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from cfglint.edit import Edit
from cfglint.fragment import Fragment
from cfglint.syntax.shell_words import Part, Scanner, ShellWord
from cfglint.values import Literal

Known = dict[int, Part]


class Nested(Fragment):
    """A text whose code points stand at ranges of a parent fragment's text.

    `quote` is the quoting it stands in. `interpolates` says that `${NAME:-default}` is replaced
    before any shell runs, whatever the quotes (compose).
    """

    __slots__ = ("interpolates", "parent", "quote", "ranges")

    def __init__(
        self,
        parent: Fragment,
        text: str,
        ranges: Sequence[tuple[int, int]],
        quote: str = "",
        interpolates: bool = False,
    ) -> None:
        offsets = [parent.offset(low) for low, _ in ranges]
        offsets.append(parent.span(*ranges[-1]).end if ranges else parent.offset(0))
        super().__init__(parent.path, text, offsets=offsets)
        self.parent = parent
        self.ranges = ranges
        self.quote = quote
        self.interpolates = interpolates or interpolated(parent)

    def edit(self, start: int, end: int, new: str) -> Edit | None:
        if not self.ranges:
            return None
        low = self.ranges[start][0] if start < len(self.ranges) else self.ranges[-1][1]
        high = self.ranges[end - 1][1] if end > start else low
        escaped = _escaped(new, self.quote, self.interpolates)
        return None if escaped is None else self.parent.edit(low, high, escaped)


def interpolated(fragment: Fragment) -> bool:
    """Whether something replaces `${NAME:-default}` in a fragment before the shell sees it."""
    return isinstance(fragment, Nested) and fragment.interpolates


def _escaped(text: str, quote: str, interpolates: bool) -> str | None:
    if quote == '"':
        return re.sub(r'([\\"`])' if interpolates else r'([\\"$`])', r"\\\1", text)
    if quote == "'":
        return None if "'" in text else text
    if quote == "$'":
        return None
    return text


def inner(word: ShellWord, resolve: Callable[[Part], Part]) -> tuple[Nested, Known]:
    """The text that a shell gets as its script in `word`, and what is expanded in it already.

    `resolve` gives an outer expansion its value and sources.
    """
    text = ""
    ranges: list[tuple[int, int]] = []
    known: Known = {}
    for part in word.parts:
        if isinstance(part.value, Literal) and not part.known:
            piece = part.value.text
            if part.end - part.start == len(piece):
                ranges += [(part.start + i, part.start + i + 1) for i in range(len(piece))]
            else:
                ranges += [(part.start, part.end)] * len(piece)
        else:
            piece = word.fragment.text[part.start : part.end]
            known[len(text)] = replace(
                resolve(part), start=len(text), end=len(text) + len(piece), known=True
            )
            ranges += [(i, i + 1) for i in range(part.start, part.end)]
        text += piece
    quotes = {part.quote for part in word.parts}
    quote = quotes.pop() if len(quotes) == 1 else "$'"
    return Nested(word.fragment, text, ranges, quote), known


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
