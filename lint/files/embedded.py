"""Configs that a file writes or holds, in here-documents, cells and ConfigMaps: documents inside
its document.

An embedded document is parsed as the file that it becomes. Its text is the script's own with all
before the body blanked, so that every span of it is a span of the script, and findings and edits
stand where the script has them. What the shell fills in is written over its expansion, and is not
mended; a body with something in it that is not known is not read.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cfglint.files import loading
from cfglint.model.document import Document
from cfglint.patterns import lazy
from cfglint.record import replace
from cfglint.text import SourceText, Span

if TYPE_CHECKING:
    from cfglint.model.edit import Edit, Fix
    from cfglint.model.fragment import Fragment
    from cfglint.model.launch import ConfigRef, Written
    from cfglint.project import Project

KINDS = ("accelerate", "deepspeed", "llamafactory", "hostfile")
_SHOWN = lazy(r"[^\r\n]+")


def document(
    project: Project, outer: Document, file: Written, reference: ConfigRef | None = None
) -> Document | None:
    """The document of a here-document that becomes a file; None where the file is of no kind that
    commands are given, by its text or by the command that names it, or its text is not known."""
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
    if found.kind is None and reference is not None:
        from cfglint.files.adopting import adopt

        adopt(found, replace(reference, movable=False))  # this is the file, wherever it goes
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
    for edit in _inside(inner, fix):
        if outer.source.slice(edit.span) != inner.source.slice(edit.span):
            return "the shell that writes the file fills in what it would change"
        if any(sign in edit.text for sign in "$`\\"):
            return "the shell that writes the file would read the new text"
    return ""


def outward(inner: Document, fix: Fix | None) -> tuple[Fix | None, str]:
    """A fix in an embedded file as the file around it has it, and why there is none."""
    file = inner.written
    if fix is None or file is None:
        return fix, ""
    if file.fragment is None:
        refused = refusal(inner, fix)
        return (None, refused) if refused else (fix, "")
    edits: list[Edit] = list(fix.edits)
    for edit in _inside(inner, fix):
        said = _spelled(file, file.fragment, edit)
        if said is None:
            return None, "the file around it spells what it would change in another way"
        edits[edits.index(edit)] = said
    return replace(fix, edits=tuple(edits)), ""


def _inside(inner: Document, fix: Fix) -> Iterator[Edit]:
    """The edits that are made in an embedded file itself."""
    start, end = place(inner)
    for edit in fix.edits:
        if edit.path == inner.path and start <= edit.span.start <= edit.span.end <= end:
            yield edit


def _spelled(file: Written, fragment: Fragment, edit: Edit) -> Edit | None:
    """An edit of the text that stands in a file, as an edit of the text that it means."""
    low = file.span.start
    offsets = [fragment.offset(i) for i in range(file.start, len(fragment.text) + 1)]
    first, last = (bisect_left(offsets, one) for one in edit.span)
    if offsets[first] != edit.span.start and fragment.text[file.start + first - 1] == '"':
        first -= 1  # it stands behind its backslash
    meant = fragment.text[file.start + first : file.start + last]
    stands = file.text[edit.span.start - low : edit.span.end - low]
    indent = "\n" + " " * file.shift
    if stands.replace(indent, "\n").split() != meant.split():
        return None  # a shell fills it in
    return fragment.edit(file.start + first, file.start + last, edit.text.replace(indent, "\n"))


def every(documents: list[Document]) -> Iterator[Document]:
    """The documents, each with those inside it."""
    for one in documents:
        yield one
        yield from one.inner
