"""Keys of a Compose service that cannot stand beside its network_mode.

Sources: Compose specification, services (`network_mode` and `networks` exclude each other); Docker
daemon, runconfig/hostconfig.go (what a container on another one's network cannot have).
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.tree import Entry, Mapping, Scalar, find, target
from cfglint.record import dataclass
from cfglint.syntax import editing as edit

_BORROWED = ("ports", "expose", "hostname", "dns", "extra_hosts", "links")


@dataclass(frozen=True, slots=True)
class Excluded:
    """A key that its service's `mode` excludes. `borrowed`: since the network is that of another
    container; else it is `networks`, which no mode goes with."""

    entry: Entry
    mode: str
    borrowed: bool
    removed: Edit | None


def excluded(document: Document) -> Iterator[Excluded]:
    """The keys of a file's services that their network_mode excludes, empty ones left out."""
    services = find(document.root, "services")
    for entry in services.entries if isinstance(services, Mapping) else ():
        service = target(entry.value)
        mode = service.get("network_mode") if isinstance(service, Mapping) else None
        if not isinstance(service, Mapping) or not isinstance(mode, Scalar) or mode.value is None:
            continue
        borrows = mode.text.startswith(("service:", "container:"))
        for name in ("networks", *_BORROWED) if borrows else ("networks",):
            other = service.entry(name)
            if other is not None and not _is_empty(other):
                removed = edit.remove_entry(document, service, other)
                yield Excluded(other, mode.text, name != "networks", removed)


def _is_empty(entry: Entry) -> bool:
    value = target(entry.value)
    return isinstance(value, Scalar) and value.value is None
