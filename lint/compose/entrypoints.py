"""Whether a Compose service has an entrypoint of its own, which gets what `compose run` says."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.project import Project


def may_have_entrypoint(project: Project, document: Document, name: str) -> bool:
    """Whether a service of that name, in a file of the run or beside the command's, says an
    entrypoint or takes one from files that are not seen."""
    from cfglint.compose.project import DEFAULT_NAMES  # here: few scripts come to this
    from cfglint.readers.compose_service import services

    for default in DEFAULT_NAMES:
        project.file_at(document.file.parent / default)
    for other in project.documents:
        for service in services(other) if other.kind == "compose" else ():
            if service.name == name and (service.find("entrypoint") or not service.complete):
                return True
    return False
