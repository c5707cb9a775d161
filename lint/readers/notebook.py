"""Jupyter notebooks: `!` commands, `%%bash` cells, scripts that cells write, and what `%env` and
os.environ set.

Cells are read from the first to the last, as they are run in a fresh kernel.
Source: nbformat 4; IPython, system shell access.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial

from cfglint.commands import may_launch, may_launch_in
from cfglint.commands.scope import Scope
from cfglint.commands.texts import ShellText
from cfglint.model.document import Document
from cfglint.model.edit import Edit, Splice
from cfglint.model.fragment import Fragment
from cfglint.model.launch import Setting
from cfglint.model.tree import Mapping, Path, Scalar, Sequence, find, target
from cfglint.model.values import Literal, Unknown, Value
from cfglint.syntax import json as json_syntax
from cfglint.syntax.shell_nested import Known, Nested
from cfglint.syntax.shell_words import Part
from cfglint.text import Span, name_counts

_ENV = re.compile(
    r"[ \t]*%(?:set_)?env[ \t]+(?P<name>[A-Za-z_]\w*)(?:[ \t]*=[ \t]*|[ \t]+)(?P<value>.+)"
)
_ENVIRON = re.compile(
    r"[ \t]*os\.environ\[[\"'](?P<name>\w+)[\"']\][ \t]*=[ \t]*"
    r"(?P<quote>[\"'])(?P<value>[^\"'\\]*)(?P=quote)[ \t]*(?:#.*)?$"
)
_COMMAND = re.compile(r"[ \t]*!+")
_CELL = re.compile(r"%%(?:bash|sh|script[ \t]+(?:bash|sh))\b[^\n]*(?:\n|$)")
_WRITTEN = re.compile(r"%%(?:write)?file[ \t]+(?P<path>[^\s-]\S*)[ \t]*\n(?P<first>#![^\n]*)?")
_SHELL = re.compile(r"\.(?:sh|bash)[\"']?$|^#!.*\b(?:ba|z|da)?sh\b")
Wanted = Callable[[str], bool]
_INSERTED = re.compile(r"\{\{|\{[A-Za-z_][\w.\[\]]*\}")


def read(document: Document) -> None:
    """Make the launches of every code cell."""
    document.tree = json_syntax.parse(document.source)
    document.problems += document.tree.problems
    if document.root is None:
        return
    document.shell_texts = partial(_texts, document)
    if "%%" in document.source.text:
        from cfglint.readers import notebook_files

        cells = (cell for _, cell in _cells(document))
        document.kept = list(notebook_files.configs(document, cells))
    if may_launch(document.source.text):
        for text in _texts(document, may_launch_in(document.source.text)):
            text.read()


def _texts(document: Document, wanted: Wanted) -> Iterator[ShellText]:
    """The commands that a test lets through, of every code cell."""
    env: dict[str, Setting] = {}
    for number, text in _cells(document):
        yield from _code(document, text, env, f"cell {number}", wanted)


def _cells(document: Document) -> Iterator[tuple[int, CellText]]:
    """The code cells, each with its number from 1."""
    cells = find(document.root, "cells")
    for number, cell in enumerate(cells.items if isinstance(cells, Sequence) else ()):
        kind = find(cell, "cell_type")
        if isinstance(kind, Scalar) and kind.text == "code":
            text = _cell(document, target(cell), (0, "cells", number, "source"))
            if text is not None:
                yield number + 1, text


class CellText(Fragment):
    """The text of a cell: one string, or a list of them. `pieces` are their paths, their lengths,
    and the offsets of the quotes that end them."""

    __slots__ = ("pieces",)

    def __init__(
        self, path: str, text: str, offsets: list[int], pieces: list[tuple[Path, int, int]]
    ) -> None:
        super().__init__(path, text, offsets=offsets, encode=_encoded)
        self.pieces = pieces

    def edit(self, start: int, end: int, new: str) -> Edit | None:
        begin = 0
        for path, size, quote in self.pieces:
            stop = begin + size
            # What is put in between two strings begins the second.
            if begin <= start and end <= stop and (start < stop or stop == len(self.text)):
                span = Span(self.offset(start), quote if end == stop else self.offset(end))
                change = Splice(path, start - begin, end - begin, new)
                return Edit(self.path, span, _encoded(new), (change,))
            begin = stop
        return None  # it runs over two strings of the file


def _encoded(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _cell(document: Document, cell: object, path: Path) -> CellText | None:
    source = cell.get("source") if isinstance(cell, Mapping) else None
    nodes = source.items if isinstance(source, Sequence) else [source]
    text, offsets, pieces = "", [], []
    for number, node in enumerate(nodes):
        if not isinstance(node, Scalar):
            return None
        own = _offsets(document.source.text, node)
        if own is None:
            return None
        offsets += own
        text += node.text
        place = (*path, number) if isinstance(source, Sequence) else path
        pieces.append((place, len(node.text), node.end - 1))
    if not pieces:
        return None
    offsets.append(nodes[-1].end - 1)  # type: ignore[union-attr]
    return CellText(document.path, text, offsets, pieces)


def _offsets(text: str, node: Scalar) -> list[int] | None:
    """Where each code point of a JSON string stands."""
    found: list[int] = []
    at = node.start + 1
    while at < node.end - 1:
        width = 1 if text[at] != "\\" else 6 if text[at + 1] == "u" else 2
        if width == 6 and text[at + 2 : at + 4].lower() in ("d8", "d9", "da", "db"):
            width = 12  # a pair of escapes for one code point
        found.append(at)
        at += width
    return found if len(found) == len(node.text) else None


def _code(
    document: Document, cell: CellText, env: dict[str, Setting], label: str, wanted: Wanted
) -> Iterator[ShellText]:
    script = _CELL.match(cell.text)
    if script is not None:
        if wanted(cell.text[script.end() :]):
            yield _command(document, cell, script.end(), len(cell.text), env, label)
        return
    written = _WRITTEN.match(cell.text)
    if written is not None:
        names = written["path"], written["first"] or ""
        batch = "#SBATCH" in cell.text  # its nodes are in what is no shell
        if any(map(_SHELL.search, names)) and not batch and wanted(cell.text):
            yield _command(
                document, cell, written.end() - len(names[1]), len(cell.text), env, label
            )
        return
    for start, end in _logical_lines(cell.text):
        line = cell.text[start:end]
        assigned = _ENV.fullmatch(line) or _ENVIRON.match(line)
        if assigned is not None:
            begin, stop = (start + i for i in assigned.span("value"))
            named = assigned.start("name") + start, assigned.end("name") + start
            text = assigned["value"].strip()
            value: Value = Unknown(text) if re.search(r"[${]", text) else Literal(text)
            span = cell.span(begin, stop)
            key = cell.span(*named)
            name = assigned["name"]
            place = CellPlace(document, cell, (start, end), named, (begin, stop))
            env[name] = Setting(name, value, document, span, name, key, origin="env", place=place)
            continue
        command = _COMMAND.match(line)
        if command is not None and wanted(line[command.end() :]):
            yield _command(document, cell, start + command.end(), end, env, label)


class CellPlace:
    """A value that a line of a cell sets: where the line, the name and the value stand in it."""

    __slots__ = ("cell", "document", "line", "name", "value")

    def __init__(
        self,
        document: Document,
        cell: CellText,
        line: tuple[int, int],
        name: tuple[int, int],
        value: tuple[int, int],
    ) -> None:
        self.document = document
        self.cell = cell
        self.line = line
        self.name = name
        self.value = value

    def write(self, value: Value) -> Edit | None:
        if not isinstance(value, Literal) or re.search(r"[\"'\\\n]", value.text):
            return None
        return self.cell.edit(*self.value, value.text)

    def rename(self, name: str) -> Edit | None:
        """The edit that gives the variable another name, None where other lines use it."""
        return self.cell.edit(*self.name, name) if self._is_alone() else None

    def remove(self) -> Edit | None:
        start, end = self.line
        text = self.cell.text
        if text[start : start + 1].isspace() or not self._is_alone():
            return None  # a block of the program may hold nothing else
        return self.cell.edit(start, end + text.startswith("\n", end), "")

    def _is_alone(self) -> bool:
        """Whether the notebook names the variable nowhere else."""
        name = self.cell.text[slice(*self.name)]
        return name_counts(self.document.source.text)[name] == 1


def _logical_lines(text: str) -> Iterator[tuple[int, int]]:
    """The lines of a cell, those that a backslash continues joined."""
    start = 0
    for match in re.finditer(r"\n|$", text):
        if match.start() < start or text[max(match.start() - 1, 0) : match.start()] == "\\":
            continue
        yield start, match.start()
        start = match.end()


def _command(
    document: Document, cell: CellText, start: int, end: int, env: dict[str, Setting], label: str
) -> ShellText:
    raw = cell.text[start:end]
    text = ""
    ranges: list[tuple[int, int]] = []
    known: Known = {}
    at = 0
    for match in _INSERTED.finditer(raw):
        if match.group() == "{{" or raw[match.start() - 1 : match.start()] == "$":
            continue
        text += raw[at : match.start()]
        ranges += [(start + i, start + i + 1) for i in range(at, match.start())]
        at = match.end()
        begin = len(text)
        text += "${_}"
        ranges += [(start + match.start(), start + match.end())] * 4
        known[begin] = Part(Unknown(match.group()), begin, len(text), known=True)
    text += raw[at:]
    ranges += [(start + i, start + i + 1) for i in range(at, len(raw))]
    inner = Nested(cell, text, ranges)
    scope = Scope(document, dict(env), evaluated="node", label=label)
    return ShellText(inner, scope, known)
