"""Configs that a launch names and that are not in the tree.

A file that is not there may still come: the script makes it, an image mounts it, the command runs
in another project's tree. Only where the job is seen to start here is it missing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from cfglint.model.launch import ConfigRef, Launch
from cfglint.project import Project
from cfglint.record import dataclass
from cfglint.spelling import near

_IMAGES = ("compose", "dockerfile")
_SCRIPTS = ("script", "slurm", "makefile", "justfile")
_ELSEWHERE = {"docker run", "docker exec", "ssh", "pdsh", "apptainer"}


@dataclass(frozen=True, slots=True)
class Missing:
    """A config that is not there. `path` is where it would lie in the tree (not what the command
    says, where that is a path in a container); `similar` a file there with nearly the same name."""

    reference: ConfigRef
    path: str
    similar: str | None


def missing(launch: Launch, project: Project, roles: tuple[str, ...]) -> Iterator[Missing]:
    """The configs of these roles that a launch is told to read and that are not there."""
    if not starts_here(launch):
        return
    kind = launch.document.kind
    for reference in launch.configs:
        if reference.role not in roles or reference.document is not None or reference.movable:
            continue
        if reference.made or (reference.role == "llamafactory" and _is_other(launch, project)):
            continue
        if is_in_image(launch) and not reference.place:
            continue
        path = reference.place or reference.started_at
        tried = {path, reference.path} if reference.folder else {path}
        if any(project.exists(launch.document, one) is not False for one in tried):
            continue
        similar = _similar(launch, path, project)
        if similar and reference.folder:
            similar = os.path.relpath(similar, reference.folder)
        mounted = kind == "dockerfile"  # perhaps, over what is copied
        if similar or (not mounted and _is_expected(launch, path, project)):
            yield Missing(reference, path, similar)


def _is_other(launch: Launch, project: Project) -> bool:
    """Whether `train.py c.yaml` is a program of the tree itself, which reads what it likes."""
    program = launch.program
    if program is None or launch.launcher == "llamafactory":
        return False
    from cfglint.programs import entrypoints

    if entrypoints.is_llamafactory_command(program) or not program.text.endswith("train.py"):
        return False
    for path in project.candidates(launch.document, program.text):
        if project.is_inside(path) and os.path.isfile(path):
            data = Path(path).read_bytes()
            return b"llamafactory" not in data and b"llmtuner" not in data
    return False


def starts_here(launch: Launch) -> bool:
    """Whether the files that a launch names are those of the tree, as far as this is seen."""
    kind = launch.document.kind
    bound = _is_bound(launch)
    if kind not in (*_IMAGES, *_SCRIPTS):
        return False
    if kind in _SCRIPTS and launch.container is not None and not bound:
        return False
    elsewhere = _ELSEWHERE - {"docker run"} if bound else _ELSEWHERE
    if not elsewhere.isdisjoint(launch.wrappers):
        return False
    return kind not in _IMAGES or _is_whole(launch)


def is_in_image(launch: Launch) -> bool:
    """Whether a launch sees the tree's files only where an image or a bound folder has them."""
    return launch.document.kind in _IMAGES or _is_bound(launch)


def _is_bound(launch: Launch) -> bool:
    box = launch.container
    return box is not None and box.kind == "docker" and box.place is not None


def _is_whole(launch: Launch) -> bool:
    """Whether no other file may mount something into the container."""
    box = launch.container
    return box is None or box.complete or box.kind == "dockerfile"


def _is_expected(launch: Launch, path: str, project: Project) -> bool:
    """Whether something shows that the job starts in this tree, so that the file should be in it:
    its folder, another file that the command names, or files of its kind beside the script."""
    folder = os.path.dirname(os.path.normpath(path))
    if folder and folder != launch.folder:
        return bool(project.exists(launch.document, folder))
    named = [x.started_at for x in launch.configs if path not in (x.started_at, x.place)]
    if launch.program is not None and launch.program.kind == "script":
        named.append(os.path.join(launch.folder, launch.program.text))
    if any(project.exists(launch.document, one) for one in named):
        return True
    if launch.folder:
        return False
    here = launch.document.file.parent
    beside = {x.kind for x in project.documents if x.file.parent == here}
    return bool(beside & {x.role for x in launch.configs if path in (x.path, x.place)})


def _similar(launch: Launch, path: str, project: Project) -> str | None:
    """A file of the same folder with nearly the same name."""
    folder, name = os.path.split(path)
    base = os.path.join(os.path.dirname(os.path.abspath(launch.document.file)), folder)
    found = near(name, project.names_in(Path(base)))
    return os.path.join(folder, found) if found else None
