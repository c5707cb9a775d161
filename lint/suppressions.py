"""Comments that silence findings: `# cfglint: ignore[PORT001]`, at the end of a line, alone on the
line above, or `ignore-file[...]` near the top. Reasons follow after ` -- `."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from cfglint.document import Document
from cfglint.text import Span
from cfglint.tree import Scalar, walk

_COMMENT = re.compile(
    r"(?:#|//)[ \t]*cfglint:[ \t]*(?P<word>[\w-]+)(?P<rules>\[[^\]\r\n]*\])?"
    r"(?:[ \t]*--[ \t]*(?P<reason>[^\r\n]*))?"
)


@dataclass(slots=True, eq=False)
class Suppression:
    """One such comment.

    `first` and `last` are the lines (from 1) it speaks of; `whole_file` that it speaks of all.
    `rules` are the codes, prefixes or names in the brackets; empty for a bare `ignore`.
    `used` holds those that silenced something.
    """

    document: Document
    span: Span
    word: str
    rules: tuple[str, ...]
    reason: str
    whole_file: bool
    first: int
    last: int
    alone: bool  # nothing else stands on its line
    used: set[str] = field(default_factory=set)


def find(document: Document) -> list[Suppression]:
    """Every suppression comment of a document."""
    source = document.source
    if "cfglint:" not in source.text:
        return []
    scalars: list[Scalar] | None = None
    found = []
    for match in _COMMENT.finditer(source.text):
        start = match.start()
        line = source.line_of(start)
        before = source.text[line.start : start]
        if before and not before[-1].isspace():
            continue
        if document.roots:
            if scalars is None:
                scalars = [
                    n for root in document.roots for n in walk(root) if isinstance(n, Scalar)
                ]
            if any(n.start <= start < n.end for n in scalars):
                continue
        rules = match["rules"]
        alone = not before.strip()
        first = source.position(start)[0]
        if alone:
            first = _next_line(document, first)
        found.append(
            Suppression(
                document,
                Span(start, start + len(match.group().rstrip())),
                match["word"],
                tuple(r.strip() for r in rules[1:-1].split(",") if r.strip()) if rules else (),
                (match["reason"] or "").strip(),
                match["word"] == "ignore-file",
                first,
                _continued(document, first),
                alone,
            )
        )
    return found


def _next_line(document: Document, line: int) -> int:
    """The next line that is neither blank nor a comment, or the line itself at the end."""
    count = len(document.source.line_starts)
    for number in range(line + 1, count + 1):
        text = document.source.slice(document.source.line_span(number)).strip()
        if text and not text.startswith(("#", "//")):
            return number
    return line


def _continued(document: Document, line: int) -> int:
    """The last line of the statement that begins on a line: a backslash at the end continues it."""
    count = len(document.source.line_starts)
    while line < count and document.source.slice(document.source.line_span(line)).endswith("\\"):
        line += 1
    return line


def matches(selector: str, code: str, name: str, family: str = "") -> bool:
    """Whether a selector (code, code prefix, rule name, family folder, ALL) means a rule."""
    upper = selector.upper()
    if upper == "ALL" or selector.lower() in (name, family):
        return True
    return bool(upper) and code.startswith(upper) and (upper == code or upper.isalpha() or len(upper) < len(code))
