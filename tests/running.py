"""Running the command line inside the test's own process, in a folder."""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cfglint.cli import main


@dataclass
class Run:
    """What one call printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> dict[str, Any]:
        """The JSON report."""
        data: dict[str, Any] = json.loads(self.out)
        return data

    def rows(self) -> list[tuple[str, int, int, str]]:
        """Path, line, column and code of each finding of the JSON report."""
        return [(f["path"], f["line"], f["column"], f["code"]) for f in self.data["findings"]]

    def kinds(self) -> dict[str, str | None]:
        """The kind of each file of the JSON report."""
        return {f["path"]: f["kind"] for f in self.data["files"]}


def cfglint(folder: Path, *words: str) -> Run:
    """`cfglint WORDS` in a folder."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with inside(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(words)
        except SystemExit as end:
            code = end.code
    return Run(code if isinstance(code, int) else 1, out.getvalue(), err.getvalue())


def as_json(folder: Path, *words: str) -> Run:
    """`cfglint --output-format json WORDS` in a folder."""
    return cfglint(folder, "--output-format", "json", *words)


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """The folder as working directory."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Write files (path -> text or bytes) below a folder and return it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder
