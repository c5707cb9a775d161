"""Configs that a script writes by here-documents and then uses: documents inside its document.

An embedded document is parsed as the file that it becomes. Its text is the script's own with all
before the body blanked, so that every span of it is a span of the script, and findings and edits
stand where the script has them. What the shell fills in is written over its expansion, and is not
mended; a body with something in it that is not known is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cfglint.files import loading
from cfglint.model.document import Document
from cfglint.patterns import lazy
from cfglint.text import SourceText, Span

if TYPE_CHECKING:
    from cfglint.model.edit import Fix
    from cfglint.model.launch import Written
    from cfglint.project import Project

KINDS = ("accelerate", "deepspeed", "llamafactory", "hostfile")
_SHOWN = lazy(r"[^\r\n]+")


def document(project: Project, outer: Document, file: Written) -> Document | None:
    """The document of a here-document that becomes a file; None where the file is of no kind that
    commands are given, or its text is not known."""
    for known in outer.inner:
        if known.written == file:
            return known
    if not file.text or re.search(r"^\t", file.text, re.M):
        return None  # what `<<-` leaves of tabs is another text

    def blank() -> str:
        return _SHOWN.sub(lambda m: " " * len(m[0]), outer.source.text)

    blanks: str = outer.fact("blanks", blank)
    blanked = blanks[: file.span.start] + file.text
    found = Document(
        outer.path, outer.file.parent / Path(file.name), SourceText(blanked), given=outer.given,
        outer=outer,
    )  # fmt: skip
    loading.classify(found)
    if found.kind not in KINDS:
        return None
    found.written = file
    found.reason = f"{found.reason}, written by {outer.path}"
    outer.inner.append(found)
    loading.read(found)
    for launch in found.launches:
        for reference in launch.configs:
            project.follow(found, reference)
    return found


def beside(project: Project, inner: Document, path: str) -> Document | None:
    """Another file that the script of an embedded document writes, where a config names it."""
    from cfglint.commands.written import Files
    from cfglint.syntax.shell import Script

    outer = inner.outer
    if outer is None or not isinstance(outer.tree, Script):
        return None
    file = Files(outer.tree).written(path)
    return document(project, outer, file) if file is not None else None


def place(inner: Document) -> Span:
    """Where a document stands in the script that writes it."""
    return inner.written.span if inner.written is not None else Span(0, 0)


def refusal(inner: Document, fix: Fix | None) -> str:
    """Why a fix cannot be made in a file that a script writes, "" where nothing is in its way."""
    outer = inner.outer
    if fix is None or outer is None:
        return ""
    start, end = place(inner)
    for edit in fix.edits:
        if edit.path != inner.path or not start <= edit.span.start <= edit.span.end <= end:
            continue
        if outer.source.slice(edit.span) != inner.source.slice(edit.span):
            return "the shell that writes the file fills in what it would change"
        if any(sign in edit.text for sign in "$`\\"):
            return "the shell that writes the file would read the new text"
    return ""


def every(documents: list[Document]) -> Iterator[Document]:
    """The documents, each with those inside it."""
    for one in documents:
        yield one
        yield from one.inner
