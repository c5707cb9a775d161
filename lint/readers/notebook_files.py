"""Configs that a notebook's cells write: `%%writefile ds.json`, and here-documents of `%%bash`.

Sources: IPython, cell magics `writefile` (and its old name `file`) and `bash`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from cfglint.commands.filled import held
from cfglint.model.document import Document
from cfglint.model.fragment import Fragment
from cfglint.model.launch import Written
from cfglint.syntax.shell_nested import Nested

_CELL = re.compile(r"%%(?:bash|sh|script[ \t]+(?:bash|sh))\b[^\n]*\n")
_WRITTEN = re.compile(r"%%(?:write)?file[ \t]+(?P<path>[^\s-]\S*)[ \t]*\n")
_CONFIG = re.compile(r"\.(?:ya?ml|json)$|^hostfile$")


def configs(document: Document, cells: Iterator[Fragment]) -> Iterator[Written]:
    """The configs that the code cells of a notebook write, each under its file's name."""
    for cell in cells:
        script = _CELL.match(cell.text)
        if script is not None and "<<" in cell.text:
            yield from _here_documents(document, cell, script.end())
        written = _WRITTEN.match(cell.text)
        name = posixpath.basename(written["path"].strip("\"'")) if written is not None else ""
        if written is not None and _CONFIG.search(name):
            at = written.end()
            file = held(cell, at, cell.text[at:], name, document.source)
            if file is not None:
                yield file


def _here_documents(document: Document, cell: Fragment, at: int) -> Iterator[Written]:
    from cfglint.commands.written import Files
    from cfglint.syntax.shell import parse

    ranges = [(i, i + 1) for i in range(at, len(cell.text))]
    files = Files(parse(Nested(cell, cell.text[at:], ranges), document))
    for one in files.found:
        if _CONFIG.search(posixpath.basename(one.path)):
            file = files.written(one.path)
            if file is not None and file.text:
                yield file
