"""Scripts that a Dockerfile writes into its image by heredocs, and starts from there.

Sources: Dockerfile reference, here-documents (`COPY <<EOF /start.sh`; a name in quotes keeps the
builder from expanding variables), and shells, whose `cat <<EOF > start.sh` in a RUN is the same.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping

from cfglint.model.document import Document
from cfglint.model.fragment import Fragment
from cfglint.model.values import Literal
from cfglint.patterns import lazy
from cfglint.syntax.dockerfile import Instruction
from cfglint.syntax.shell_words import Part, ShellWord
from cfglint.text import Span

Bodies = Callable[[ShellWord], list[ShellWord]]
_CAT = lazy(r"(?:^|&&|;|\s)cat\b[^|;&]*")
_TARGET = lazy(r"(?<![<>0-9])>\s*([^\s<>|;&$`\"']+)")


def scripts(document: Document, instruction: Instruction, workdir: str) -> dict[str, Span | None]:
    """The files that an instruction's heredocs make, by their paths in the image, with where their
    texts stand; None for a text that the builder or its shell changes."""
    if instruction.name in ("COPY", "ADD"):
        target = instruction.words()[-1].text.strip("\"'")
        names = [target for _ in instruction.heredocs]
        if target.endswith("/"):
            names = [posixpath.join(target, doc.name) for doc in instruction.heredocs]
    else:
        cat, to = _CAT.search(instruction.arguments), _TARGET.search(instruction.arguments)
        names = [to[1]] if cat and to and len(instruction.heredocs) == 1 else []
    found: dict[str, Span | None] = {}
    for name, doc in zip(names, instruction.heredocs, strict=False):
        text = document.source.slice(doc.body)
        plain = doc.quoted or not any(sign in text for sign in "$`")
        path = posixpath.normpath(posixpath.join(workdir, name))
        found[path] = doc.body if plain and not doc.strip_tabs else None
    return found


def bodies(document: Document, files: Mapping[str, Span | None], workdir: str) -> Bodies:
    """Gives the text of such a script by its path."""

    def body(word: ShellWord) -> list[ShellWord]:
        path = posixpath.normpath(posixpath.join(workdir, word.text)) if word.text else ""
        span = files.get(path)
        if span is None:
            return []
        text = document.source.slice(span)
        parts = (Part(Literal(text), 0, len(text)),)
        written = Fragment(document.path, text, base=span.start)
        return [ShellWord(written, document, parts, 0, len(text))]

    return body
