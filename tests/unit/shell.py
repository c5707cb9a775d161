"""What the tests of shell text and commands share."""

from __future__ import annotations

from pathlib import Path

from cfglint.commands import Scope, shell_launches
from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.fragment import Fragment
from cfglint.model.launch import Launch
from cfglint.syntax.shell import Script, parse
from cfglint.text import SourceText


def document(text: str) -> Document:
    return Document("run.sh", Path("run.sh"), SourceText(text))


def script(text: str) -> Script:
    return parse(Fragment("run.sh", text), document(text))


def launches(text: str, evaluated: str = "node", interpolated: bool = False) -> list[Launch]:
    one = document(text)
    scope = Scope(one, evaluated=evaluated, interpolation={} if interpolated else None)
    return shell_launches(Fragment("run.sh", text), scope)


def launch(text: str, evaluated: str = "node", interpolated: bool = False) -> Launch:
    (found,) = launches(text, evaluated, interpolated)
    return found


def applied(text: str, *edits: Edit | None) -> str:
    """The text after edits that must all be possible."""
    for edit in sorted((e for e in edits if e is not None), key=lambda e: e.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    assert None not in edits
    return text
