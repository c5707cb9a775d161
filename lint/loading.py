"""A file to a document: read, decode, parse by its syntax, classify, and let its reader speak."""

from __future__ import annotations

import importlib
import io
import os
import stat
import traceback
from pathlib import Path
from typing import Any

from cfglint import kinds
from cfglint.document import Document, Problem
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
        with open(file, "rb", buffering=0) as stream:
            status = os.fstat(stream.fileno())
            size = status.st_size
            if stat.S_ISREG(status.st_mode) and size <= max_size:
                data = stream.readall()
            else:  # a pipe or device has no size to ask for
                data = io.BufferedReader(stream).read(max_size + 1)
    except OSError as problem:
        reason = f"cannot be read: {problem.strerror or problem}"
        return _unreadable(path, file, given, UnreadableError(reason))
    if len(data) > max_size:
        shown = f"{size:,} bytes are" if size > max_size else "it is"
        reason = f"{shown} over the limit of {max_size:,} bytes (setting max-file-size)"
        return _unreadable(path, file, given, UnreadableError(reason), data[:HEAD])
    return from_bytes(data, path, file, given, kind)


def from_bytes(
    data: bytes, path: str, file: Path, given: bool = True, kind: str | None = None
) -> Document:
    """A document of a file's bytes."""
    try:
        source = decode(data)
    except UnreadableError as problem:
        return _unreadable(path, file, given, problem, data)
    document = Document(path, file, source, given=given)
    classify(document, kind)
    read(document)
    return document


def _unreadable(
    path: str, file: Path, given: bool, problem: UnreadableError, data: bytes = b""
) -> Document:
    """A document without text. It is reported only where its name promises a kind."""
    lines = "\n" * (problem.line - 1) + " " * problem.column
    document = Document(path, file, SourceText(lines), given=given)
    at = document.source.offset(problem.line, problem.column)
    document.problems.append(Problem("SYN001", problem.reason, Span(at, at), {"data": bool(data)}))
    shown = data[:HEAD].decode("utf-8", "replace").replace("\0", "")
    syntax = kinds.syntax_of(file.name, shown)
    if syntax in ("yaml", "json"):
        document.kind, document.reason = kinds.by_signs(file.name, shown, syntax)
    else:
        document.kind, document.reason = kinds.classify(file.name, shown, syntax, None)
    return document


def classify(document: Document, kind: str | None = None) -> None:
    """Parse a document and say of what kind it is."""
    source = document.source
    name = document.file.name
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
