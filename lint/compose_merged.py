"""Compose files that one command names: `docker compose -f a.yml -f b.yml up`.

Compose merges them in order, and every path in them starts at the folder of the first. Files that
commands put together in several ways stay open: neither way is the one that holds.
Source: compose-spec 13-merge; docs.docker.com, "Merge Compose files".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from cfglint.patterns import lazy

if TYPE_CHECKING:
    from cfglint.document import Document
    from cfglint.project import Project

_KINDS = ("script", "slurm", "makefile", "justfile")
_COMMAND = lazy(
    r"\b(?:docker|podman)(?:[ \t]+|-)compose[ \t]+(?P<rest>(?:[^\\\r\n;&|]|\\\r?\n|\\.)*)"
)
_FLAGS = ("--dry-run", "--compatibility", "--all-resources", "--verbose")
# Options of the project that make its paths or variables others than the files show.
_ELSEWHERE = ("--env-file", "--project-directory", "--workdir")


class Chain(NamedTuple):
    """The files of one command, in order; `known` is False where it shows not all of them."""

    files: tuple[Document, ...]
    known: bool


def chains(project: Project) -> list[Chain]:
    """What the commands of the project's scripts and recipes put together, each once."""
    found: list[Chain] = []
    for document in project.documents[:]:
        if document.kind not in _KINDS or "compose" not in document.source.text:
            continue
        for paths, known in _named(document.source.text):
            named = [project.resolve(document, path) if path else None for path in paths]
            files = tuple(d for d in named if d is not None and d.kind == "compose")
            chain = Chain(files, known and len(files) == len(named))
            if files and chain not in found:
                found.append(chain)
    return found


def _named(text: str) -> Iterator[tuple[list[str], bool]]:
    """The paths behind `-f` of each command, "" for one in a variable."""
    for match in _COMMAND.finditer(text):
        if text[text.rfind("\n", 0, match.start()) + 1 : match.start()].lstrip().startswith("#"):
            continue
        words = iter(match["rest"].replace("\\\r\n", " ").replace("\\\n", " ").split())
        paths, known = [], True
        for word in words:
            name, equals, value = word.partition("=")
            if not word.startswith("-"):
                known = known and "$" not in word  # `$FILES up` may name more
                break
            if name in _FLAGS:
                continue
            value = value if equals else next(words, "")
            known = known and name not in _ELSEWHERE
            if name in ("-f", "--file"):
                value = value.strip("\"'")
                paths.append("" if "$" in value or "{{" in value else value)
        if paths:
            yield paths, known or len(paths) == 1
