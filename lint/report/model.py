"""What every report works from: findings with lines and columns, secrets masked, nothing that
could drive a terminal or a CI log."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cfglint.masking import Masker
from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.record import dataclass, field
from cfglint.rule import Finding, Severity
from cfglint.text import Span
from cfglint.wording import control, visible

if TYPE_CHECKING:
    from cfglint.fixing.fixer import Fixed
    from cfglint.result import Result

LONGEST = 1_000  # characters of a message; a config can hold a value of a megabyte
UNREAD = ("SYN001", "SYN002", "SYN003")  # problems after which the rest of a file is not looked at


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

    `text` cleans any string for output: secrets masked, control characters spelled out. `since` is
    the revision that findings are limited to. `colour`, `quiet` and `statistics` are the reader's
    wishes for text.
    """

    result: Result
    masker: Masker = field(default_factory=Masker)
    fixed: Fixed | None = None
    diff: str = ""
    since: str = ""
    colour: bool = False
    quiet: bool = False
    statistics: bool = False

    def __post_init__(self) -> None:
        for document in self.result.project.documents:
            self.masker.learn(document.source.text)

    @property
    def findings(self) -> Sequence[Finding]:
        return self.result.findings

    def text(self, value: str) -> str:
        """A string as it may be shown, shortened where it is very long."""
        shown = visible(self.masker.mask(value[: 4 * LONGEST]))
        if len(shown) > LONGEST:
            half = LONGEST // 2 - 20
            cut = f" ... {len(value) - 2 * half:,} characters left out ... "
            shown = shown[:half] + cut + visible(self.masker.mask(value[-4 * LONGEST :]))[-half:]
        return shown

    def line_of(self, value: str) -> str:
        """A string as it may be shown in one line."""
        return self.text(value).replace("\n", "\\n").replace("\t", " ")

    def path(self, document: Document) -> str:
        """How a file is called in text."""
        return self.line_of(document.path)

    def ci_path(self, document: Document) -> str:
        """A file's path as the CI that runs this knows it: relative to its checkout, if it says."""
        for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
            top = os.environ.get(name)
            if top:
                path = os.path.relpath(os.path.realpath(document.file), os.path.realpath(top))
                if not path.startswith(".."):
                    return path.replace(os.sep, "/")
        return document.path

    def count(self, severity: Severity) -> int:
        """How many findings are of a severity."""
        return sum(1 for f in self.findings if f.severity == severity)

    @property
    def given(self) -> list[Document]:
        """The files that were asked for, in the order of their paths."""
        documents = (d for d in self.result.project.documents if d.given)
        return sorted(documents, key=lambda d: d.path)

    @property
    def unread(self) -> list[Document]:
        """The configs among them that could not be read whole, and what may be one."""
        return [
            d
            for d in self.given
            if (d.kind and any(p.code in UNREAD for p in d.problems)) or d.is_unseen
        ]

    def line(self, document: Document, number: int) -> str:
        """A source line with secrets masked, tabs as single blanks so that columns hold."""
        span = document.source.line_span(number)
        return self.masker.mask(document.source.slice(span)).replace("\t", " ")

    def documents_by_path(self) -> dict[str, Document]:
        """The documents by report path."""
        return {d.path: d for d in self.result.project.documents}

    def edit_place(self, edit: Edit) -> Place:
        """Where an edit's span stands."""
        document = self.documents_by_path()[edit.path]
        return place(document, edit.span)

    def is_shown(self, edit: Edit) -> bool:
        """Whether an edit's text can be given away as it is: it holds no secret."""
        return self.masker.mask(edit.text) == edit.text


def dump(data: Any) -> str:
    """JSON text that no terminal or CI log obeys, and that says exactly what `data` says."""
    import json

    text = json.dumps(data, ensure_ascii=False, indent=1)
    if not text.isascii():
        text = "".join(_json_escape(c) if ord(c) in control() or "\ud800" <= c <= "\udfff" else c
                       for c in text)  # fmt: skip
    return text.replace("##", "#\\u0023").replace("\x7f", "\\u007f") + "\n"


def _json_escape(char: str) -> str:
    code = ord(char)
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
