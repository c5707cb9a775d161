"""Compose files put together: `include`, and the files that Compose reads beside each.

An included file keeps its services, its folder and its `.env`; its names, networks and containers
are those of the one project that includes it. Each service is judged in the file that has it.
Source: compose-spec 14-include; compose-go `loader/include.go`.
"""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from cfglint.compose.merged import Chain, chains
from cfglint.files.mentions import contains, read_mentions
from cfglint.model.launch import ConfigRef
from cfglint.readers import compose
from cfglint.readers import compose_service as cs
from cfglint.readers.compose_include import Include, includes
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.project import Project

DEFAULT_NAMES = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")
Includers = dict[int, list["tuple[Document, Include]"]]
# Roles whose paths start at the project's folder and were not yet joined to it by the reader.
_FROM_FOLDER = (cs.EXTENDED, cs.INCLUDED)


def assemble(project: Project) -> None:
    """Let each Compose file be read again with the files it names, as parts of one project."""
    for document in project.documents[:]:
        if document.kind == "compose" and document.given:
            read_mentions(project, document)  # the commands that name it beside other files
    every = chains(project)
    found, includers = _included(project)
    for document in found:
        _join(document, found, includers)
    _merge(every, includers)
    for document in found:
        _complete(project, document)
    for document in found:
        others = (each for each in document.unit if each is not document)
        if not document.compose.merged:
            names = frozenset(name for each in others for name in cs.names(each))
            document.compose.claimed = names
        for reference in document.links:
            over = reference.document if reference.role == cs.OVERRIDE else None
            if over is not None and not over.compose.merged:
                over.compose.is_open = True  # its services are judged as merged
    for document in found:
        role = document.compose
        at_hand = any(reference.document is not None for reference in document.links)
        if at_hand or document.files or role.is_open or role.partial:
            compose.link(document)
        if document.compose.merged:
            claimed = document.compose.claimed
            document.launches = [
                x
                for x in document.launches
                if x.container is None or x.container.name not in claimed
            ]
    for document in found:
        compose.pair_up(document)
        document.links = [
            r
            for r in document.links
            if r.document is not None or r.role not in (compose.PROJECT_ENV, compose.OVERRIDE)
        ]


def _included(project: Project) -> tuple[list[Document], Includers]:
    """The Compose files of the run with those that they include, and who includes each."""
    for document in project.documents[:]:
        if document.kind == "compose" and document.given:
            _read_includers(project, document.file.parent)
    found = [document for document in project.documents if document.kind == "compose"]
    includers: Includers = defaultdict(list)
    for document in found:  # grows on the way
        for include in includes(document):
            named = None
            if include.path:
                named = project.file_at(cs.project_folder(document) / include.path)
            if named is None or named.kind != "compose" or not include.known:
                document.compose.partial = True
            if named is None or named.kind != "compose":
                continue
            document.links.append(
                ConfigRef(cs.INCLUDED, include.path, include.span, document=named)
            )
            if not includers[id(named)]:
                _place(named, document, include)
            includers[id(named)].append((document, include))
            if all(named is not other for other in found):
                found.append(named)
    return found, includers


def _read_includers(project: Project, folder: Path) -> None:
    """Read for context what Compose finds by itself in a folder and above, where it includes files:
    an included file that was given alone is judged as part of its project."""

    def read() -> bool:
        for name in DEFAULT_NAMES:
            path = folder / name
            if contains(project, path, b"include:"):
                project.file_at(path)
        if folder.parent != folder and project.is_inside(folder.parent):
            _read_includers(project, folder.parent)
        return True

    project.fact(("includers", str(folder)), read)


def _place(document: Document, parent: Document, include: Include) -> None:
    """Give an included file the folder, the env files and the overrides that its includer says."""
    start, own = cs.project_folder(parent), document.file.parent

    def seen_from_own(path: Path) -> str:
        return os.path.relpath(path, own).replace(os.sep, "/")

    folder = start / include.folder if include.folder else own
    if include.folder:
        document.compose.folder = folder
        document.links = [r for r in document.links if r.role not in ("env_file", "dockerfile")]
    if include.folder or include.env_files:
        document.links = [r for r in document.links if r.role != compose.PROJECT_ENV]
        paths = [start / path for path in include.env_files] or [folder / ".env"]
        document.links += [
            ConfigRef(compose.PROJECT_ENV, seen_from_own(path), Span(0, 0)) for path in paths
        ]
    # What lies beside an included file is not merged over it unless that is said.
    document.links = [r for r in document.links if r.role != cs.OVERRIDE]
    document.links += [
        ConfigRef(cs.OVERRIDE, seen_from_own(start / path), Span(0, 0))
        for path in include.overrides
    ]


def _merge(every: list[Chain], includers: Includers) -> None:
    """Merge the files that commands name together, where all the commands agree."""
    for chain in every:
        first, *rest = chain.files
        uses = {id(each): sum(each in other.files for other in every) for each in chain.files}
        clear = chain.known and all(uses[id(each)] == 1 for each in chain.files)
        alone = not any(each.files or includers[id(each)] for each in chain.files)
        beside = first.file.parent / f"{first.file.stem}.override{first.file.suffix}"
        if not rest and chain.known:
            continue
        if not clear or not alone or os.path.exists(beside) or len(set(uses)) < len(chain.files):
            for each in chain.files:
                each.compose.is_open = True
            continue
        names = {id(each): cs.names(each) for each in chain.files}
        for each in rest:
            others = (names[id(other)] for other in chain.files if other is not each)
            each.compose.claimed = frozenset().union(*others)  # those are judged as merged
            folder = os.path.relpath(first.file.parent, each.file.parent)
            _place(each, each, Include(each.file.name, Span(0, 0), folder=folder))
        first.links += [
            ConfigRef(cs.OVERRIDE, each.path, Span(0, 0), document=each) for each in rest
        ]
        for each in chain.files:
            each.files = list(chain.files)
            each.compose.merged = True


def _join(document: Document, found: list[Document], includers: Includers) -> None:
    """Tell a file which project it is part of.

    One that several projects include, or one in a way that the files do not show, is open.
    """
    own = includers[id(document)]
    roots = [root for root in _above(document, includers) if not includers[id(root)]]
    if len(roots) == 1:
        members = _below(roots[0])
        if len(members) > 1:
            document.files = members
    if any(member.compose.partial for member in document.unit):
        document.compose.partial = True
    alike = len(own) < 2 or not any(i.folder or i.env_files or i.overrides for _, i in own)
    if own and (len(roots) != 1 or not alike or not all(include.known for _, include in own)):
        document.compose.is_open = True
    if len(own) == 1 and len(roots) == 1:
        document.compose.included_by = own[0][0]
    elif own:
        document.compose.unclear_variables = True


def _above(document: Document, includers: Includers) -> list[Document]:
    """The file and all that include it, at any distance."""
    found = [document]
    for each in found:
        for parent, _ in includers[id(each)]:
            if all(parent is not other for other in found):
                found.append(parent)
    return found


def _below(root: Document) -> list[Document]:
    """The file and all that it includes, at any distance."""
    found = [root]
    for each in found:
        for reference in each.links:
            child = reference.document if reference.role == cs.INCLUDED else None
            if child is not None and all(child is not other for other in found):
                found.append(child)
    return found


def _complete(project: Project, document: Document) -> None:
    """Find the files that a Compose file names, and those that they name.

    Its paths start at its own folder, or where its includer says; a `.env` counts only there.
    """
    for _ in range(2):
        for reference in document.links:
            if reference.document is None:
                start = document.file.parent
                if reference.role in _FROM_FOLDER:
                    start = cs.project_folder(document)
                reference.document = project.file_at(start / reference.path)
        compose.name_files(document)
