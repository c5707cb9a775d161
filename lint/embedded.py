"""Configs that a script writes by here-documents and then uses: documents inside its document.

An embedded document is parsed as the file that it becomes. Its text is the script's own with all
before the body blanked, so that every span of it is a span of the script, and findings and edits
stand where the script has them. What the shell fills in is written over its expansion, and nothing
is mended in such a body; one with something in it that is not known is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cfglint import loading
from cfglint.document import Document
from cfglint.text import SourceText

if TYPE_CHECKING:
    from cfglint.launch import Written
    from cfglint.project import Project

KINDS = ("accelerate", "deepspeed", "llamafactory", "hostfile")
_SHOWN = re.compile(r"[^\r\n]")


def document(project: Project, outer: Document, file: Written) -> Document | None:
    """The document of a here-document that becomes a file; None where the file is of no kind that
    commands are given, or its text is not known."""
    for known in outer.inner:
        if known.facts["body"] == file.span:
            return known
    if not file.text or re.search(r"^\t", file.text, re.M):
        return None  # what `<<-` leaves of tabs is another text
    text = outer.source.text
    blanked = _SHOWN.sub(" ", text[: file.span.start]) + file.text
    found = Document(
        outer.path, outer.file.parent / Path(file.name), SourceText(blanked), given=outer.given,
        outer=outer,
    )  # fmt: skip
    loading.classify(found)
    if found.kind not in KINDS:
        return None
    found.facts["body"] = file.span
    found.facts["filled"] = file.text != text[file.span.start : file.span.end]
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


def every(documents: list[Document]) -> Iterator[Document]:
    """The documents, each with those inside it."""
    for one in documents:
        yield one
        yield from one.inner
