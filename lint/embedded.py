"""Configs that a script writes by here-documents and then uses: documents inside its document.

An embedded document is parsed as the file that it becomes. Its text is the script's own with all
before the body blanked, so that every span of it is a span of the script, and findings and edits
stand where the script has them. Bodies in which the shell expands something are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cfglint import loading
from cfglint.document import Document
from cfglint.text import SourceText, Span

if TYPE_CHECKING:
    from cfglint.project import Project

KINDS = ("accelerate", "deepspeed", "llamafactory", "hostfile")
_SHOWN = re.compile(r"[^\r\n]")


def document(project: Project, outer: Document, path: str, body: Span) -> Document | None:
    """The document of a here-document that becomes the file of a path; None where the file is of no
    kind that commands are given, or its text is not known (`body` is empty)."""
    for known in outer.inner:
        if known.facts["body"] == body:
            return known
    if body.start >= body.end:
        return None
    text = outer.source.text
    if re.search(r"^\t", text[body.start : body.end], re.M):
        return None  # what `<<-` leaves of it is another text
    blanked = _SHOWN.sub(" ", text[: body.start]) + text[body.start : body.end]
    found = Document(
        outer.path, outer.file.parent / Path(path), SourceText(blanked), given=outer.given,
        outer=outer,
    )  # fmt: skip
    loading.classify(found)
    if found.kind not in KINDS:
        return None
    found.reason = f"{found.reason}, written by {outer.path}"
    found.facts["body"] = body
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
    body = Files(outer.tree).body_of(path)
    return document(project, outer, path, body) if body is not None else None


def every(documents: list[Document]) -> Iterator[Document]:
    """The documents, each with those inside it."""
    for one in documents:
        yield one
        yield from one.inner
