"""What every report works from: findings with lines and columns, secrets masked, nothing that
could drive a terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cfglint.document import Document
from cfglint.edit import Edit
from cfglint.masking import Masker
from cfglint.rule import Finding, Severity
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.engine import Result
    from cfglint.fixer import Fixed

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def visible(text: str) -> str:
    """The text with control characters and invisible direction marks spelled out."""
    return _CONTROL.sub(lambda m: f"\\x{ord(m.group()):02x}" if ord(m.group()) < 256 else f"\\u{ord(m.group()):04x}", text)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """A span of a file in lines and columns from 1; ends are exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


def place(document: Document, span: Span) -> Place:
    """Where a span stands."""
    line, column = document.source.position(span.start)
    end_line, end_column = document.source.position(max(span.start, span.end))
    return Place(document.path, line, column, end_line, end_column)


@dataclass(slots=True)
class Report:
    """All that a format may show of a run.

    `text` cleans any string for output: secrets masked, control characters spelled out.
    """

    result: Result
    masker: Masker = field(default_factory=Masker)
    fixed: Fixed | None = None
    diff: str = ""
    unsafe: bool = False  # whether unsafe fixes were or would be applied

    def __post_init__(self) -> None:
        for document in self.result.project.documents:
            self.masker.learn(document.source.text)

    @property
    def findings(self) -> Sequence[Finding]:
        return self.result.findings

    def text(self, value: str) -> str:
        return visible(self.masker.mask(value))

    def count(self, severity: Severity) -> int:
        return sum(1 for f in self.findings if f.severity == severity)

    def line(self, document: Document, number: int) -> str:
        """A source line as it may be shown, tabs as single blanks so that columns hold."""
        span = document.source.line_span(number)
        return self.masker.mask(document.source.slice(span)).replace("\t", " ")

    def documents_by_path(self) -> dict[str, Document]:
        return {d.path: d for d in self.result.project.documents}

    def edit_place(self, edit: Edit) -> Place:
        """Where an edit's span stands."""
        document = self.documents_by_path()[edit.path]
        return place(document, edit.span)


Format = Callable[[Report], str]
