"""What an image or an env file sets a variable to before a script of the tree runs."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from cfglint.model.document import Document
from cfglint.model.launch import Setting
from cfglint.project import Project


def in_images(script: Document, name: str, project: Project) -> Iterator[Setting]:
    """What the Dockerfiles at or above a script's folder, which may copy it, set a variable to."""
    for document in _around(script, project, "dockerfile"):
        for launch in document.launches:
            if name in launch.env:
                yield launch.env[name]


def in_env_files(script: Document, name: str, project: Project) -> Iterator[Setting]:
    """What the env files of the Compose services that start a script set a variable to."""
    own = posixpath.basename(script.path)
    for document in _around(script, project, "compose"):
        for started, env in document.started:
            setting: Setting | None = env.get(name)
            if setting is None or posixpath.basename(started) != own:
                continue
            if setting.document.kind == "dotenv":
                yield setting


def _around(script: Document, project: Project, kind: str) -> Iterator[Document]:
    """The files of a kind in a script's folder and those above it."""
    folder = posixpath.dirname(script.path)
    for document in project.of_kind(kind):
        above = posixpath.dirname(document.path)
        if above in ("", folder) or folder.startswith(above + "/"):
            yield document
