"""Which files of the root name another one: the raw bytes of all that may start a job tell."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from cfglint.files import discovery
from cfglint.files.names import by_endings, names
from cfglint.model.document import Document
from cfglint.patterns import lazy

if TYPE_CHECKING:
    from cfglint.project import Project

SEARCH_FILES = 20_000  # a repository with more files is not searched for users of a config
READ_BYTES = 2_000_000
OWN_OUTPUT = lazy(
    rb'\A\s*(\{\s*"version": 1,\s+"findings": \['
    rb'|\{\s*"\$schema": "[^"]*sarif|\[\s*\{\s*"description": "[^"\n]*",\s+"check_name"'
    rb'|\{\s*"source": \{\s*"name": "cfglint")'
)


def read_mentions(project: Project, document: Document) -> None:
    """Read for context every file of the root that was not given and names a document."""

    def others() -> list[Path]:
        read = {os.path.abspath(d.file) for d in project.documents}
        paths = (path for path in files(project) if path.suffix != ".py")
        return [path for path in paths if os.path.abspath(path) not in read]

    def search() -> None:
        needle = os.fsencode(document.file.name)
        for path in project.fact("files not given", others):
            if contains(project, path, needle):
                project.file_at(path)

    project.fact(("mentions", document.file.name), search)


def files(project: Project) -> list[Path]:
    """Every file of the root that could start a job, Python programs included."""

    def walk() -> list[Path]:
        found = []
        for path in discovery.find([project.root], extra=(".py",)):
            found.append(path)
            if len(found) > SEARCH_FILES + 1:
                break
        return found

    found: list[Path] = project.fact("files", walk)
    return found


_PLAIN = lazy(r"[A-Za-z0-9_.+-]{1,250}\.(?:ya?ml|json|sh|bash|slurm|sbatch)")
_NUMBER = lazy(r"\d+")
_ENDINGS = (".yaml", ".yml", ".json", ".sh", ".bash", ".slurm", ".sbatch")


def naming(project: Project, name: str) -> list[Path]:
    """The files whose bytes name a file."""
    if not _PLAIN.fullmatch(name):
        needle = os.fsencode(name)
        return [path for path in files(project) if contains(project, path, needle)]

    return _table(project).get(name, [])


def naming_series(project: Project, name: str) -> list[tuple[str, Path]]:
    """The files that name another one of a file's series (`a_8gpu.yaml` beside `a_16gpu.yaml`),
    each with the name."""
    stem = _NUMBER.sub("#", name)
    if stem == name:
        return []
    table = _table(project)
    series = sorted(one for one in table if one != name and _NUMBER.sub("#", one) == stem)
    return [(one, path) for one in series for path in table[one]]


def _table(project: Project) -> dict[str, list[Path]]:
    def index() -> dict[str, list[Path]]:
        endings = by_endings(_ENDINGS)
        known = {path.name for path in files(project)}
        table: dict[str, list[Path]] = defaultdict(list)
        for path in files(project)[:SEARCH_FILES]:
            for found in known & names(_text(project, path), endings):
                table[found].append(path)
        return table

    table: dict[str, list[Path]] = project.fact("names of files", index)
    return table


def is_named(project: Project, document: Document) -> bool:
    """Whether another file of the root holds a document's name."""
    own = os.path.abspath(document.file)
    return any(os.path.abspath(path) != own for path in naming(project, document.file.name))


_COMMAND = lazy(rb"[^\n]*(?:(?:(?<=\\)|(?<=\\\r))\n[^\n]*)*")
_SETS = lazy(rb"--(?:num|machine|main_process)[_-]\w")


def is_told_in_prose(project: Project, document: Document) -> bool:
    """Whether a README beside a config or above it shows a command that names it and says more of
    the job than the config does (`--config_file zero3.yaml --num_processes 8`)."""
    needle, folder = os.fsencode(document.file.name), document.file.absolute().parent
    for place in (folder, *folder.parents):
        for path in sorted(place.glob("[Rr][Ee][Aa][Dd][Mm][Ee]*")):
            data = content(project, path)
            commands = _COMMAND.finditer(data) if needle in data else ()
            if any(needle in found[0] and _SETS.search(found[0]) for found in commands):
                return True
        if place == project.root.absolute():
            break
    return False


def contains(project: Project, path: Path, needle: bytes) -> bool:
    """Whether a file holds these bytes; one that cannot be read holds none."""
    return needle in content(project, path)


def _text(project: Project, path: Path) -> str:
    known = project.known(path)
    if known is None or not known.readable:
        return content(project, path).decode("utf-8", "replace")
    text = known.source.text[:READ_BYTES]
    return "" if OWN_OUTPUT.search(text[:400].encode("utf-8", "replace")) else text


def content(project: Project, path: Path) -> bytes:
    """What a file begins with, b"" where it cannot be read."""

    def read() -> bytes:
        known = project.known(path)
        if known is not None and known.readable:
            data = known.source.text[:READ_BYTES].encode("utf-8", "replace")
        else:
            try:
                with path.open("rb") as file:
                    data = file.read(READ_BYTES)
            except OSError:
                return b""
        # A baseline or a report names every config, and starts none.
        return b"" if OWN_OUTPUT.search(data[:400]) else data

    data: bytes = project.fact(("bytes", str(path)), read)
    return data
