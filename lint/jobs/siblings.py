"""The other node files of a job, read where only some of them were given.

They lie beside a node's file under its name with another number or another role (node0.yaml,
worker.yaml), or under its own name in a folder called so (node1/accelerate.yaml); or `[[job]]` in
the settings names them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from cfglint.files import discovery
from cfglint.patterns import lazy
from cfglint.project import ROLE, stem_of_node_file

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.project import Project

LIMIT = 64  # node files of one job that are read for context
_BETWEEN = lazy(r"[._-]")


def read(project: Project, document: Document) -> None:
    """Read for context the files that may be those of other nodes of a node's job."""
    folder, name = document.file.parent, document.file.name
    like = [folder / other for other in _alike(project, folder, name)]
    if not like:
        beside = _alike(project, folder.parent, folder.name)
        like = [folder.parent / other / name for other in beside]
    for path in like:
        project.file_at(path)


def read_declared(project: Project, files: Iterable[Path]) -> None:
    """Read for context what the settings name as one job, where a file of it was given."""
    for job in project.settings.jobs:

        def belongs(file: Path, globs: tuple[str, ...] = job.files) -> bool:
            path = os.path.relpath(os.path.abspath(file), project.settings.root)
            return discovery.matches(path.replace(os.sep, "/"), globs)

        if any(document.given and belongs(document.file) for document in project.documents):
            for path in [path for path in files if belongs(path)][:LIMIT]:
                project.file_at(path)


def _alike(project: Project, folder: Path, name: str) -> list[str]:
    """The first names in a folder that are a name with another number, or with another role where
    it has none."""

    def index() -> dict[str | None, list[str]]:
        found: dict[str | None, list[str]] = {}
        for other in project.names_in(folder):
            for shape in {stem_of_node_file(other), _without_role(other)}:
                found.setdefault(shape, []).append(other)
        return found

    shape = stem_of_node_file(name) or _without_role(name)
    if shape is None:
        return []
    found: dict[str | None, list[str]] = project.fact(("shapes", str(folder)), index)
    alike = found.get(shape, ())
    return [other for other in alike[: LIMIT + 1] if other != name][:LIMIT]


def _without_role(name: str) -> str | None:
    """A name with the word for a node's role taken out, None where it has none."""
    words = [w for w in re.split(_BETWEEN.pattern, name.lower()) if w]
    kept = ["" if ROLE.fullmatch(word) else word for word in words]
    return ".".join(kept) if "" in kept else None
