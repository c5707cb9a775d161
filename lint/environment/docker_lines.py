"""Lines of a file for `docker run --env-file` that docker refuses.

Source: docker/cli `opts/file.go`; run with the docker command line 27.
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.launch import Launch
from cfglint.project import Project
from cfglint.record import dataclass
from cfglint.text import Span


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """What stands in the place of a name ("" where there is none).

    `has_export`: in front of it. `edit` leaves the bare name, None where no one name is meant, or a
    shell sources the file and wants the export.
    """

    span: Span
    name: str
    has_export: bool = False
    is_sourced: bool = False
    edit: Edit | None = None


def refused_lines(document: Document, project: Project) -> Iterator[RefusedLine]:
    """The lines of an env file, where nobody but docker reads it."""
    users = project.users(document)
    if not users or not all(map(_is_docker, users)):
        return
    source, sourced = document.source, _is_sourced(document, project)
    for number in range(1, len(source.line_starts) + 1):
        line = source.line_span(number)
        text = source.slice(line)
        name, sign, value = text.lstrip().partition("=")
        words = name.split()
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        if not words:
            yield RefusedLine(line, "")
        elif len(words) > 1 or name != name.rstrip():
            at = line.start + len(text) - len(text.lstrip())
            span = Span(at, at + len(name.rstrip()))
            meant = words[-1]
            edit = None
            if words in ([meant], ["export", meant]) and not sourced:
                # Blanks in front of the sign go, and with them those behind it.
                blanks = name != name.rstrip()
                behind = len(sign + value) - len(value.lstrip()) if blanks else 0
                new = meant + ("=" if behind else "")
                edit = Edit(document.path, Span(at, at + len(name) + behind), new)
            yield RefusedLine(span, name.rstrip(), words[0] == "export", sourced, edit)


def _is_sourced(document: Document, project: Project) -> bool:
    """Whether a shell reads the file as well."""
    links = (link for other in project.documents for link in other.links)
    return any(link.role == "sourced" and link.document is document for link in links)


def _is_docker(launch: Launch) -> bool:
    """Whether a launch is one by docker itself: podman reads such files in its own way."""
    box = launch.container
    if box is None or box.kind != "docker":
        return False
    return launch.document.source.slice(box.span).endswith("docker")
