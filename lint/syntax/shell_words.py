"""Shell words: what they are made of, where each piece stands, and how they are written back.

A word is read from its raw text by a small scanner of our own; the grammar around words (lists,
loops, redirections) is the business of `cfglint.syntax.shell`. Expansions stay symbolic here:
whoever knows the variables resolves them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cfglint.fragment import Fragment
from cfglint.record import dataclass, replace
from cfglint.syntax.interpolation import MAX_LENGTH, MAX_NESTED
from cfglint.text import Span
from cfglint.values import Computed, Literal, Unknown, Value, Variable

if TYPE_CHECKING:
    from cfglint.document import Document
    from cfglint.launch import Setting

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SPECIAL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_OPERATORS = (":-", ":=", ":?", ":+", "-", "=", "?", "+")
_MAX_NESTING = 20  # defaults inside defaults; deeper ones are not followed
_SIGN = re.compile(r"[\\'\"$`]")
_PLAIN_RUN = re.compile(r"[^\\'\"$`]+")
_DOUBLE_RUN = re.compile(r'[^\\"$`]+')


@dataclass(unsafe_hash=True, slots=True)
class Part:
    """A piece of a word between `start` and `end` of the fragment's text.

    `quote` is the quoting it stands in ("", "'", '"', "$'", "<<" for a here-document). A literal
    part's text stands there verbatim, one escaped character is a part of its own. `run` is the whole quoted run, quotes
    included, or the part itself. `known` says that somebody expanded the part before this shell saw
    it (the outer shell, compose): its value is final, `sources` are the assignments it came from.
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
    then says whether something else expands `${NAME:-default}` in it.
    """

    fragment: Fragment
    document: Document
    parts: tuple[Part, ...]
    start: int
    end: int
    shell: bool = True
    variables: bool = True

    def __init__(
        self,
        fragment: Fragment,
        document: Document,
        parts: tuple[Part, ...],
        start: int,
        end: int,
        shell: bool = True,
        variables: bool = True,
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

    @property
    def text(self) -> str | None:
        """The literal text, None where something is expanded in it."""
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


class Scanner:
    """Reads the parts of words. `known` maps ranges of the text to parts expanded beforehand."""

    def __init__(self, text: str, known: dict[int, Part] | None = None) -> None:
        self.text = text
        self.known = known or {}
        self._depth = 0

    def word(self, start: int, end: int) -> tuple[Part, ...]:
        """The parts of the word that stands between two indices."""
        text, at = self.text, start
        if not self.known and _SIGN.search(text, start, end) is None:
            return (Part(Literal(text[start:end]), start, end),) if start < end else ()
        parts: list[Part] = []
        while at < end:
            sign = text[at]
            if sign == "'":
                close = text.find("'", at + 1, end)
                close = end if close < 0 else close
                run = (at, min(close + 1, end))
                self._literal(parts, at + 1, close, "'", run)
                at = run[1]
            elif sign == '"':
                at = self._double(parts, at, end)
            elif sign == "\\":
                if at + 1 >= end:
                    parts.append(Part(Literal("\\"), at, end))
                    at = end
                elif text[at + 1] not in ("\n", "\r"):
                    parts.append(Part(Literal(text[at + 1]), at, at + 2))
                    at += 2
                else:
                    at += 3 if text.startswith("\r\n", at + 1) else 2
            elif sign == "$" and text[at + 1 : at + 2] in ("'", '"'):
                at = self._dollar_quote(parts, at, end)
            elif sign in "$`":
                part = self.expansion(at, end, "", (0, 0))
                parts.append(part)
                at = part.end
            else:
                match = _PLAIN_RUN.match(text, at, end)
                assert match
                self._literal(parts, at, match.end(), "", (0, 0))
                at = match.end()
        return tuple(parts)

    def _literal(
        self, parts: list[Part], start: int, end: int, quote: str, run: tuple[int, int]
    ) -> None:
        """Literal text, except where something was expanded beforehand; an empty run is a part."""
        at = start
        if self.known:
            for place in sorted(p for p in self.known if start <= p < end):
                part = self.known[place]
                if place > at:
                    parts.append(Part(Literal(self.text[at:place]), at, place, quote, run))
                parts.append(replace(part, quote=quote, run=run))
                at = part.end
        if at < end or (at == start and quote):
            parts.append(Part(Literal(self.text[at:end]), at, end, quote, run))

    def _double(self, parts: list[Part], start: int, end: int) -> int:
        text, at = self.text, start + 1
        found: list[Part] = []
        while at < end and text[at] != '"':
            if text[at] == "\\":
                following = text[at + 1 : at + 2]
                if following in ("$", "`", '"', "\\") and following:
                    found.append(Part(Literal(following), at, at + 2, '"'))
                elif following not in ("\n", "\r"):
                    found.append(Part(Literal(text[at : at + 2]), at, at + 2, '"'))
                at += 3 if text.startswith("\r\n", at + 1) else 2
            elif text[at] in "$`":
                part = self.expansion(at, end, '"', (0, 0))
                found.append(part)
                at = part.end
            else:
                match = _DOUBLE_RUN.match(text, at, end)
                assert match
                found.append(Part(Literal(match.group()), at, match.end(), '"'))
                at = match.end()
        run = (start, min(at + 1, end))
        if not found:
            found.append(Part(Literal(""), start + 1, start + 1, '"'))
        for part in found:
            part.run = run
        parts.extend(found)
        return run[1]

    def document(self, start: int, end: int) -> tuple[Part, ...]:
        """The parts of a here-document, in which quotes mean nothing."""
        parts: list[Part] = []
        at = start
        while at < end:
            sign = self.text[at]
            if sign == "\\" and self.text[at + 1 : at + 2] in ("$", "`", "\\", "\n"):
                escaped = self.text[at + 1]
                if escaped != "\n":
                    parts.append(Part(Literal(escaped), at, at + 2, "<<"))
                at += 2
            elif sign in "$`":
                part = self.expansion(at, end, "<<", (0, 0))
                parts.append(part)
                at = part.end
            else:
                match = re.compile(r"[^$`\\]+|\\").match(self.text, at, end)
                assert match
                parts.append(Part(Literal(match.group()), at, match.end(), "<<"))
                at = match.end()
        return tuple(parts)

    def _dollar_quote(self, parts: list[Part], start: int, end: int) -> int:
        if self.text[start + 1] == '"':
            return self._double(parts, start + 1, end)
        at = start + 2
        while at < end and self.text[at] != "'":
            at += 2 if self.text[at] == "\\" else 1
        raw = self.text[start + 2 : at]
        value: Value = Unknown(raw) if "\\" in raw else Literal(raw)
        run = (start, min(at + 1, end))
        parts.append(Part(value, start + 2, min(at, end), "$'", run))
        return run[1]

    def expansion(self, at: int, end: int, quote: str, run: tuple[int, int]) -> Part:
        """The `$...` or backquoted expansion that begins at `at`."""
        if at in self.known:
            part = self.known[at]
            return Part(
                part.value, part.start, part.end, quote, run, True, part.sources, part.partial
            )
        text = self.text
        if text[at] == "`":
            close = text.find("`", at + 1, end)
            stop = end if close < 0 else close + 1
            return Part(Unknown(text[at:stop]), at, stop, quote, run)
        following = text[at + 1 : at + 2]
        if following == "(":
            stop = min(closing(text, at + 1), end)
            return Part(Unknown(text[at:stop]), at, stop, quote, run)
        if following == "{":
            stop = min(closing(text, at + 1), end)
            return Part(self._braced(at + 2, stop - 1), at, stop, quote, run)
        match = _SPECIAL.match(text, at + 1, end)
        if not match:
            return Part(Literal("$"), at, at + 1, quote, run)
        return Part(Variable(match.group()), at, match.end(), quote, run)

    def _braced(self, start: int, end: int) -> Value:
        match = _SPECIAL.match(self.text, start, end)
        if match:
            if match.end() == end:
                return Variable(match.group())
            for operator in _OPERATORS:
                if self.text.startswith(operator, match.end()):
                    rest = match.end() + len(operator)
                    if operator in (":?", "?"):
                        return Variable(match.group(), None, operator)
                    if self.text.count("${", rest, end) > MAX_NESTED:
                        break
                    if self._depth > _MAX_NESTING:
                        break
                    self._depth += 1
                    default = combined(self.word(rest, end), self.text[rest:end])
                    self._depth -= 1
                    return Variable(match.group(), default, operator)
        return Unknown("${" + self.text[start:end] + "}")


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


_PAIRS = {"(": ")", "{": "}"}
_BRACKETS = {"(": re.compile(r"[()\\'\"]"), "{": re.compile(r"[{}\\'\"]")}


def closing(text: str, at: int) -> int:
    """The index behind the bracket that closes the one at `at`, quotes respected."""
    opening = text[at]
    signs = _BRACKETS[opening]
    depth, quote = 0, ""
    while at < len(text):
        found = signs.search(text, at)
        if found is None:
            break
        at = found.start()
        sign = text[at]
        if sign == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign == opening:
            depth += 1
        elif sign == _PAIRS[opening]:
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    return len(text)
