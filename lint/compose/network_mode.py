"""Keys of a Compose service that cannot stand beside its network_mode.

Sources: Compose specification, services (`network_mode` and `networks` exclude each other,
in whatever files of a project they stand); Docker daemon, runconfig/hostconfig.go (what a container
on another one's network cannot have).
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.tree import Scalar
from cfglint.readers.compose_service import Owned, Service, services
from cfglint.record import dataclass
from cfglint.syntax import editing as edit
from cfglint.text import Span

_BORROWED = ("ports", "expose", "hostname", "dns", "extra_hosts", "links")


@dataclass(frozen=True, slots=True)
class Excluded:
    """A key, at `span` of `document`, that its service's `mode` excludes. `borrowed`: since the
    network is that of another container; else it is `networks`, which no mode goes with."""

    name: str
    document: Document
    span: Span
    mode: str
    borrowed: bool
    removed: Edit | None


def excluded(document: Document) -> Iterator[Excluded]:
    """The keys of a file's services that their network_mode excludes, empty ones left out."""
    for service in services(document):
        mode = service.find("network_mode")
        if mode is None or not isinstance(mode.value, Scalar) or mode.value.value is None:
            continue
        text = mode.value.text
        borrows = text.startswith(("service:", "container:"))
        for name in ("networks", *_BORROWED) if borrows else ("networks",):
            found = [each for each in service.all(name) if not _is_empty(each)]
            if found:
                yield _beside(service, mode, text, found[-1])


def _beside(service: Service, mode: Owned, text: str, other: Owned) -> Excluded:
    name = other.entry.name or ""
    shown = other if service.may_change(other) else mode
    removed = None
    if shown is other:
        removed = edit.remove_entry(other.document, other.mapping, other.entry)
    place = shown.document, shown.entry.key.span
    if not service.may_change(shown):
        place = service.document, service.key.span  # both stand where others have them too
    return Excluded(name, *place, text, name != "networks", removed)


def _is_empty(owned: Owned) -> bool:
    return isinstance(owned.value, Scalar) and owned.value.value is None
