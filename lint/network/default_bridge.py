"""Containers on Docker's default bridge, which has no name service, and their way off it.

Source: Docker, bridge network driver (user-defined networks resolve names, the default one does
not); Compose, links and extra_hosts (which write a name down wherever it stands).
"""

from __future__ import annotations

from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.launch import Container, Launch
from cfglint.model.tree import Mapping, find, target
from cfglint.model.values import default_literal
from cfglint.network.node_names import of_container
from cfglint.record import dataclass
from cfglint.syntax import editing as edit
from cfglint.text import Span

NETWORK = "trainnet"
_KINDS = ("docker", "compose")
_LINKS = frozenset(("links", "external_links", "extra_hosts"))


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A container on the default bridge that dials another one by `name`; `others` run in that."""

    box: Container
    name: str
    others: list[Launch]


def unresolved(launch: Launch) -> Unresolved | None:
    """The name of another container of its file that a launch dials and nothing resolves."""
    box = launch.container
    if box is None or box.kind not in _KINDS or launch.network.mode != "bridge":
        return None
    address = launch.address or launch.env.get("MASTER_ADDR")
    name = default_literal(address.value) if address else None
    if not name or name in of_container(box):
        return None
    boxes = [x for x in launch.document.launches if x.container]
    others = [x for x in boxes if x.container and name in of_container(x.container)]
    if not others or not {name, ""}.isdisjoint(box.known_hosts):
        return None
    if box.kind == "compose" and any(
        _links(launch.document, x) for x in _on_bridge(launch, others)
    ):
        return None
    return Unresolved(box, name, others)


def to_projects_network(launch: Launch, others: list[Launch]) -> list[Edit] | None:
    """The edits after which services join their project's own network, which resolves names."""
    edits: list[Edit] = []
    for one in _on_bridge(launch, others):
        service = _service(launch.document, one)
        entry = service.entry("network_mode") if service is not None else None
        if service is None or entry is None:
            return None
        removed = edit.remove_entry(launch.document, service, entry)
        if removed is None:
            return None
        edits.append(removed)
    return edits


def to_own_network(launch: Launch) -> list[Edit] | None:
    """The edits that make one network for all the containers that the file starts on the default
    bridge, None where they cannot be written."""
    boxes: dict[int, Container] = {}
    for other in launch.document.launches:
        if other.container and other.container.kind == "docker" and other.network.mode == "bridge":
            boxes.setdefault(other.container.span.start, other.container)
    edits: list[Edit] = []
    for box in boxes.values():
        added = box.set_option("network", NETWORK) if box.set_option else None
        if added is None:
            return None
        edits += added
    source = launch.document.source
    line = source.line_of(min(boxes))
    indent = source.text[line.start : min(boxes)]
    if indent.strip():
        return None
    create = f"docker network inspect {NETWORK} >/dev/null 2>&1 || docker network create {NETWORK}"
    before = Span(line.start, line.start)
    edits.append(Edit(launch.document.path, before, f"{indent}{create}{source.newline}"))
    return edits


def _on_bridge(launch: Launch, others: list[Launch]) -> list[Launch]:
    return [x for x in (launch, *others) if x.network.mode == "bridge" and x.container]


def _service(document: Document, launch: Launch) -> Mapping | None:
    """What a Compose file says of a launch's service."""
    name = launch.container.name if launch.container else ""
    found = find(document.root, "services", name)
    service = target(found) if found is not None else None
    return service if isinstance(service, Mapping) else None


def _links(document: Document, launch: Launch) -> bool:
    """Whether a service writes down names of others, or is not seen."""
    service = _service(document, launch)
    return service is None or not _LINKS.isdisjoint(service.names())
