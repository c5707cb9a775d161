"""Files of `NAME=value` lines, which three programs read in three ways.

- Compose (`.env` beside the file, `env_file:`) and python-dotenv: quotes are taken off, ` #` begins
  a comment, variables are expanded, a quoted value may span lines. (compose-go `dotenv`)
- `docker run --env-file`: everything behind `=` is the value, quotes included; a `#` at the start
  of a line is a comment. (docker/cli `opts/file.go`)
- DeepSpeed (`.deepspeed_env`): every line is NAME=value, there are no comments or blank lines. The
  value is put between double quotes into an `export` for each node's shell (pdsh, the default),
  where its own double quotes end and begin them: they are gone. (DeepSpeed `launcher/runner.py`,
  `multinode_runner.py`: `add_export`)

The scanner keeps what stands in the file; `meaning` answers for one reader.
"""

from __future__ import annotations

import re
from typing import Literal as Choice

from cfglint.model.values import Literal, Unknown, Value
from cfglint.record import dataclass, field
from cfglint.syntax import interpolation
from cfglint.text import LINE_BREAK, SourceText, Span

Reader = Choice["compose", "docker", "deepspeed"]

_PAIR = re.compile(r"[ \t]*(?P<export>export[ \t]+)?(?P<name>[^\s=#:'\"]+)[ \t]*(?P<sign>=)")
_BARE = re.compile(r"[ \t]*(?P<export>export[ \t]+)?(?P<name>[A-Za-z_][A-Za-z0-9_.-]*)[ \t]*$")
_QUOTED_WORD = re.compile(r"\"([\w@%+=:,./^~-]*)\"")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "$": "$$"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line, or several where a quoted value spans them.

    `kind`: "pair", "name" (no `=`: the host's value is passed on), "comment", "blank", "other".
    `value` is the range behind `=` without blanks around it, quotes and any comment included.
    """

    kind: str
    span: Span
    name: str = ""
    name_span: Span | None = None
    value: Span | None = None
    export: bool = False


@dataclass(slots=True)
class Dotenv:
    """The lines of a file in their order."""

    source: SourceText
    lines: list[Line] = field(default_factory=list)

    def meaning(self, line: Line, reader: Reader = "compose") -> Value:
        """What one reader takes the value of a pair for."""
        span = line.value or Span(line.span.end, line.span.end)
        raw = self.source.slice(span)
        if reader == "deepspeed":
            quoted = _QUOTED_WORD.fullmatch(raw)
            return Literal(quoted[1] if quoted else raw)
        if reader != "compose":
            return Literal(raw)
        quote = raw[:1]
        if quote == "'":
            end = raw.find("'", 1)
            return Literal(raw[1:end]) if end > 0 else Unknown(raw)
        if quote == '"':
            end = _closing(raw)
            if end < 0:
                return Unknown(raw)
            text = re.sub(r"\\(.)", _unescape, raw[1:end], flags=re.S)
            return interpolation.compose_value(text)
        return interpolation.compose_value(self.source.slice(plain(self.source, span)))


def plain(source: SourceText, span: Span) -> Span:
    """An unquoted value without the comment that Compose sees behind ` #`."""
    text = source.slice(span)
    cut = re.search(r"(?:^|[ \t])#", text)
    text = text[: cut.start()] if cut else text
    return Span(span.start, span.start + len(text.rstrip()))


def parse(source: SourceText) -> Dotenv:
    """The lines of a file of NAME=value lines."""
    result = Dotenv(source)
    at = 0
    while at < len(source.text):
        line = _line(source, at)
        result.lines.append(line)
        match = LINE_BREAK.match(source.text, line.span.end)
        at = match.end() if match else len(source.text)
    return result


def _line(source: SourceText, at: int) -> Line:
    span = source.line_of(at)
    text = source.text
    stripped = text[at : span.end].strip()
    if not stripped or stripped[0] == "#":
        return Line("comment" if stripped else "blank", span)
    match = _PAIR.match(text, at, span.end) or _BARE.match(text, at, span.end)
    if match is None:
        return Line("other", span)
    name = Span(*match.span("name"))
    exported = match["export"] is not None
    if match.re is _BARE:
        return Line("name", span, match["name"], name, None, exported)
    start = match.end()
    while start < span.end and text[start] in " \t":
        start += 1
    end = span.end
    if text[start : start + 1] in ("'", '"') and _closing(text[start:end]) < 0:
        close = _closing(text[start:])
        inside = text[end : start + close] if close > 0 else "="
        if "=" not in inside:  # else a quote was forgotten, and the next line is a pair again
            end = source.line_of(start + close).end
    while end > start and text[end - 1] in " \t":
        end -= 1
    whole = Span(span.start, max(source.line_of(end).end, span.end))
    return Line("pair", whole, match["name"], name, Span(start, end), exported)


def _closing(text: str) -> int:
    """The index of the quote that closes the one `text` begins with, -1 where there is none."""
    quote, at = text[0], 1
    while at < len(text):
        if text[at] == quote:
            return at
        at += 2 if text[at] == "\\" and quote == '"' else 1
    return -1


def _unescape(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[1], match[0])
