"""A file to a document: read, decode, parse by its syntax, classify, and let its reader speak."""

from __future__ import annotations

import importlib
import os
import stat
import traceback
from pathlib import Path
from typing import Any

from cfglint.files import kinds
from cfglint.model.document import Document, Problem
from cfglint.text import SourceText, Span, UnreadableError, decode

# Kinds whose reader has another module name, or that need no reader.
READERS = {
    "accelerate": "accelerate", "deepspeed": "deepspeed", "llamafactory": "llamafactory",
    "compose": "compose", "dockerfile": "dockerfile", "script": "script", "slurm": "slurm",
    "kubernetes": "kubernetes", "dotenv": "dotenv", "deepspeed-env": "dotenv",
    "hostfile": "hostfile", "makefile": "makefile", "justfile": "makefile",
    "workflow": "workflow", "notebook": "notebook",
}  # fmt: skip
SYNTAX_OF_KIND = {
    "accelerate": "yaml", "llamafactory": "yaml", "compose": "yaml", "kubernetes": "yaml",
    "workflow": "yaml", "deepspeed": "json", "dataset-info": "json", "dockerfile": "dockerfile",
    "script": "shell", "slurm": "shell", "dotenv": "dotenv", "deepspeed-env": "dotenv",
    "hostfile": "hostfile", "makefile": "makefile", "justfile": "justfile", "notebook": "notebook",
}  # fmt: skip

HEAD = 200_000  # bytes of an unreadable file in which the marks of a kind are looked for


def report_path(file: Path, base: Path) -> str:
    """How reports name a file: relative to `base`, with forward slashes."""
    absolute, folder = os.path.abspath(file), os.path.join(base, "")
    if absolute.startswith(folder):
        return absolute[len(folder) :].replace(os.sep, "/")
    return os.path.relpath(absolute, base).replace(os.sep, "/")


def load(file: Path, base: Path, given: bool, max_size: int, kind: str | None = None) -> Document:
    """Read a file. Whatever is wrong with its bytes becomes a problem of the document.

    `kind` overrules classification.
    """
    path = report_path(file, base)
    try:
        if not stat.S_ISREG(os.stat(file).st_mode):  # to open a pipe may take for ever
            reason = "cannot be read: it is no regular file"
            return _unreadable(path, file, given, UnreadableError(reason))
        with open(file, "rb", buffering=0) as stream:
            size = os.fstat(stream.fileno()).st_size
            data = stream.readall() if size <= max_size else stream.read(HEAD)
    except OSError as problem:
        reason = f"cannot be read: {problem.strerror or problem}"
        return _unreadable(path, file, given, UnreadableError(reason))
    if size > max_size or len(data) > max_size:
        return oversized(data, path, file, given, max_size, size=size)
    return from_bytes(data, path, file, given, kind)


def oversized(
    data: bytes,
    path: str,
    file: Path,
    given: bool,
    limit: int,
    *,
    size: int = 0,
    nameless: bool = False,
) -> Document:
    """The document of a file above the limit; `data` is its beginning, `size` 0 if not known."""
    shown = f"{size:,} bytes are" if size > limit else "it is"
    reason = f"{shown} over the limit of {limit:,} bytes (setting max-file-size)"
    return _unreadable(path, file, given, UnreadableError(reason), data[:HEAD], nameless)


def from_bytes(
    data: bytes,
    path: str,
    file: Path,
    given: bool = True,
    kind: str | None = None,
    *,
    nameless: bool = False,
) -> Document:
    """A document of a file's bytes. `nameless` text (`/dev/fd/63`) is named by what it says."""
    try:
        source = decode(data)
    except UnreadableError as problem:
        return _unreadable(path, file, given, problem, data, nameless)
    document = Document(path, file, source, given=given)
    classify(document, kind, _name(file, source.text) if nameless else file.name)
    if "<<<<<<<" in source.text or document.problems:
        from cfglint.syntax import conflicts

        if conflicts.tell(document):
            return document
    read(document)
    return document


def _name(file: Path, text: str) -> str:
    """The name that tells the kind of what is only open, not on disk: its own if it says one."""
    if kinds.syntax_of(file.name, text):
        return file.name
    from cfglint.files.streams import guess_name

    return guess_name(text)


def _unreadable(
    path: str,
    file: Path,
    given: bool,
    problem: UnreadableError,
    data: bytes = b"",
    nameless: bool = False,
) -> Document:
    """A document without text. It is reported only where its name promises a kind."""
    lines = "\n" * (problem.line - 1) + " " * problem.column
    document = Document(path, file, SourceText(lines), given=given)
    at = document.source.offset(problem.line, problem.column)
    document.problems.append(Problem("SYN001", problem.reason, Span(at, at), {"data": bool(data)}))
    shown = data[:HEAD].decode("utf-8", "replace").replace("\0", "")
    name = _name(file, shown) if nameless else file.name
    syntax = kinds.syntax_of(name, shown)
    if syntax in ("yaml", "json"):
        document.kind, document.reason = kinds.by_signs(name, shown, syntax)
    else:
        document.kind, document.reason = kinds.classify(name, shown, syntax, None)
    return document


def classify(document: Document, kind: str | None = None, name: str = "") -> None:
    """Parse a document and say of what kind it is, as a file of its own or another `name`."""
    source = document.source
    name = name or document.file.name
    syntax = SYNTAX_OF_KIND.get(kind or "") or kinds.syntax_of(name, source.text)
    if syntax == "yaml" and name.lower().endswith(".json"):
        syntax = "json"
    if kind is None and not kinds.may_matter(syntax, source.text):
        return
    tree = parse(source, syntax)
    if kind is not None:
        document.kind, document.reason = kind, "the settings say so"
    else:
        document.kind, document.reason = kinds.classify(name, source.text, syntax, tree)
    if document.kind is None or document.kind == "template":
        return
    document.tree = tree
    document.problems.extend(getattr(tree, "problems", ()))


def parse(source: SourceText, syntax: str) -> Any:
    """The tree of a YAML or JSON text; other syntaxes are parsed by their readers."""
    if syntax == "yaml":
        from cfglint.syntax import yaml

        return yaml.parse(source)
    if syntax == "json":
        from cfglint.syntax import json

        return json.parse(source)
    return None


def read(document: Document) -> None:
    """Let the reader of the document's kind make launches of it."""
    module = READERS.get(document.kind or "")
    if module is None:
        return
    try:
        reader = importlib.import_module(f"cfglint.readers.{module}")
    except ModuleNotFoundError as problem:
        if problem.name != f"cfglint.readers.{module}":
            raise
        return
    try:
        reader.read(document)
    except Exception as problem:  # one file must not keep the others from being linted
        last = traceback.extract_tb(problem.__traceback__)[-1]
        text = (
            f"the reader of {document.kind} files failed on this one:"
            f" {type(problem).__name__}: {problem} "
            f"({os.path.basename(last.filename)}:{last.lineno})"
        )
        document.problems.append(Problem("META000", text, Span(0, 0)))
