"""Shell words: what they are made of, where each piece stands, and how they are written back.

A word is read from its raw text by a small scanner of our own; the grammar around words (lists,
loops, redirections) is the business of `cfglint.syntax.shell`. Expansions stay symbolic here:
whoever knows the variables resolves them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cfglint.model.fragment import Fragment
from cfglint.model.values import Computed, Literal, Unknown, Value
from cfglint.record import dataclass, field, replace
from cfglint.syntax.interpolation import MAX_LENGTH
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.model.launch import Setting


@dataclass(unsafe_hash=True, slots=True)
class Part:
    """A piece of a word between `start` and `end` of the fragment's text.

    `quote` is the quoting it stands in ("", "'", '"', "$'", "<<" for a here-document). A literal
    part's text stands there verbatim, one escaped character is a part of its own. `run` is the
    whole quoted run, quotes included, or the part itself. `known` says that somebody expanded the
    part before this shell saw it (the outer shell, compose): its value is final, `sources` are the
    assignments it came from.
    """

    value: Value
    start: int
    end: int
    quote: str = ""
    run: tuple[int, int] = (0, 0)
    known: bool = False
    sources: tuple[Setting, ...] = ()
    partial: bool = False  # a piece of an expansion's value: it stands nowhere by itself

    def __init__(
        self,
        value: Value,
        start: int,
        end: int,
        quote: str = "",
        run: tuple[int, int] = (0, 0),
        known: bool = False,
        sources: tuple[Setting, ...] = (),
        partial: bool = False,
    ) -> None:
        # Written out, and only what differs: a long script has thousands of parts.
        self.value = value
        self.start = start
        self.end = end
        if quote or run[1]:
            self.quote = quote
            self.run = run
        if known:
            self.known = known
        if sources:
            self.sources = sources
        if partial:
            self.partial = partial

    @property
    def size(self) -> int:
        """How many characters it counts in a word: those of a literal, one for an expansion."""
        return len(self.value.text) if isinstance(self.value, Literal) else 1


@dataclass(unsafe_hash=True, slots=True)
class ShellWord:
    """One word of a command as it is written.

    `shell` is False for an item of an argument list that no shell sees (exec form); `variables`
    then says whether something else expands `${NAME:-default}` in it. `literal` is the text of a
    word in which nothing is quoted or expanded, None where its parts tell.
    """

    fragment: Fragment
    document: Document
    parts: tuple[Part, ...]
    start: int
    end: int
    shell: bool = True
    variables: bool = True
    literal: str | None = field(default=None, compare=False, repr=False)

    def __init__(
        self,
        fragment: Fragment,
        document: Document,
        parts: tuple[Part, ...],
        start: int,
        end: int,
        shell: bool = True,
        variables: bool = True,
        literal: str | None = None,
    ) -> None:
        self.fragment = fragment
        self.document = document
        self.parts = parts
        self.start = start
        self.end = end
        if not shell:
            self.shell = shell
        if not variables:
            self.variables = variables
        if literal is not None:
            self.literal = literal

    @property
    def text(self) -> str | None:
        """The literal text, None where something is expanded in it."""
        if self.literal is not None:
            return self.literal
        values = self.__dict__
        if "_text" not in values:  # asked many times of each word
            values["_text"] = literal_text(self.parts)
        text: str | None = values["_text"]
        return text

    @property
    def raw(self) -> str:
        """The word as it is written."""
        return self.fragment.text[self.start : self.end]

    @property
    def span(self) -> Span:
        return self.fragment.span(self.start, self.end)

    @property
    def quoted(self) -> bool:
        """Whether the whole word stands in one pair of quotes."""
        first = self.parts[0] if self.parts else None
        return bool(first and first.quote and first.run == (self.start, self.end))

    @property
    def quote(self) -> str:
        """The quoting that surrounds this piece of a word without being a part of it."""
        first = self.parts[0] if self.parts else None
        return first.quote if first and first.quote and self.start > first.run[0] else ""

    def find(self, sign: str, last: bool = False) -> int:
        """The index (in the parts' characters, an expansion counts 1) of a literal sign, or -1."""
        found, at = -1, 0
        for part in self.parts:
            if isinstance(part.value, Literal):
                inside = part.value.text.rfind(sign) if last else part.value.text.find(sign)
                if inside >= 0:
                    found = at + inside
                    if not last:
                        return found
                at += len(part.value.text)
            else:
                at += 1
        return found

    def prefix(self) -> str:
        """The literal text before the first expansion."""
        text = ""
        for part in self.parts:
            if not isinstance(part.value, Literal):
                break
            text += part.value.text
        return text

    def cut(self, begin: int, end: int | None = None) -> ShellWord:
        """The piece of the word between two indices (counted as in `find`)."""
        kept: list[Part] = []
        at = 0
        for part in self.parts:
            size = part.size
            low, high = max(begin - at, 0), size if end is None else min(end - at, size)
            if low < high:
                kept.append(part if (low, high) == (0, size) else sliced(part, low, high))
            at += size
            if end is not None and at >= end:
                break
        if not kept:
            edge = self.end if self.quote == "" else self.parts[-1].end
            edge = edge if end is None else self.start
            return self.of((), edge, edge)
        return self.piece(kept)

    def piece(self, kept: list[Part]) -> ShellWord:
        """Some of the word's parts (the outer ones perhaps sliced) as a word."""
        start, stop = _outer(kept, self.start, self.end)
        return self.of(tuple(kept), start, stop)

    def of(self, parts: tuple[Part, ...], start: int, end: int) -> ShellWord:
        """A word with other parts that is written the same way."""
        return ShellWord(
            self.fragment, self.document, parts, start, end, self.shell, self.variables
        )


def sliced(part: Part, low: int, high: int) -> Part:
    """A piece of a literal part."""
    assert isinstance(part.value, Literal)
    if part.known or part.end - part.start != len(part.value.text):
        return replace(part, value=Literal(part.value.text[low:high]), partial=True)
    return Part(
        Literal(part.value.text[low:high]),
        part.start + low,
        part.start + high,
        part.quote,
        part.run,
    )


def _outer(kept: list[Part], start: int, end: int) -> tuple[int, int]:
    """The range of some parts, with the quotes around a run that they hold whole."""
    first, last = kept[0], kept[-1]
    low, high = first.start, last.end
    whole_first = first.quote and low == first.run[0] + len(first.quote)
    whole_last = last.quote and high == last.run[1] - 1
    if first.quote and first.run == last.run:
        return (first.run[0], first.run[1]) if whole_first and whole_last else (low, high)
    if whole_first:
        low = first.run[0]
    if whole_last:
        high = last.run[1]
    return max(low, start), min(high, end)


def literal_text(parts: Sequence[Part]) -> str | None:
    """The text of parts that are all literal, else None."""
    if len(parts) == 1:  # nearly always
        only = parts[0].value
        whole = only.text if isinstance(only, Literal) else None
        return whole if whole is None or len(whole) <= MAX_LENGTH else None
    text = ""
    for part in parts:
        if not isinstance(part.value, Literal):
            return None
        text += part.value.text
        if len(text) > MAX_LENGTH:
            return None
    return text


_DRAWN = ("random", "uuid", "date")  # text around such a piece leaves it another on each machine


def combined(parts: Sequence[Part], raw: str) -> Value:
    """The value of a whole word: literal, or the one thing it expands, else unknown."""
    text = literal_text(parts)
    if text is not None:
        return Literal(text)
    if len(parts) == 1:
        return parts[0].value
    open_parts = [part.value for part in parts if not isinstance(part.value, Literal)]
    drawn = open_parts[0] if len(open_parts) == 1 else None
    if isinstance(drawn, Computed) and drawn.per_node and drawn.idiom in _DRAWN:
        return Computed(raw, None, None, True, drawn.idiom)
    return Unknown(raw)
