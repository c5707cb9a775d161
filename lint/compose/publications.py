"""Ports of the host that two containers publish, of one Compose project or one script.

Sources: Docker, published ports (a second bind of one address and port is refused); Compose,
profiles and replicas.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cfglint.model.document import Document
from cfglint.model.launch import Container, Launch, Port, Setting
from cfglint.record import dataclass
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.project import Project


@dataclass(frozen=True, slots=True)
class Publication:
    """A port of the host that a container does not get, since another one publishes it.

    `port` is the later one's entry, in the file of `launch`. The other container is one of `copies`
    of the same service, or, where that is 0, that of the service `name`; what shows it stands at
    `span` of `document`: the number of copies, or the other's entry.
    """

    launch: Launch
    port: Port
    name: str
    document: Document
    span: Span
    copies: int = 0


def publications(project: Project) -> Iterator[Publication]:
    """The ports of the host that are published twice, by copies of a service or by two services."""
    holders: dict[tuple[int | None, int], list[tuple[Launch, Port]]] = {}
    run: list[tuple[Launch, Port]] = []
    for launch in project.launches:
        box, several = launch.container, copies(launch)
        if box is not None and box.kind == "docker" and launch.network.mode != "host":
            yield from _beside(launch, run)
        if box is None or box.kind != "compose":
            continue
        for port in launch.network.ports:
            if port.host is None or port.host_last not in (None, port.host):
                continue  # one of a range is taken that is free
            if several is not None:
                count = several.number or 0
                yield Publication(launch, port, box.name, several.document, several.span, count)
            if launch.network.mode == "host":
                continue
            held = holders.setdefault((port.host, id(launch.document.unit[0])), [])
            for other, theirs in held:
                if other.container is not None and _clash(other.container, theirs, box, port):
                    name = other.container.name
                    yield Publication(
                        launch, port, name, theirs.document or other.document, theirs.span
                    )
                    break
            held.append((launch, port))


def _beside(launch: Launch, run: list[tuple[Launch, Port]]) -> Iterator[Publication]:
    """The ports that an earlier `docker run` of the script still publishes; `run` holds these."""
    for port in launch.network.ports:
        if port.host is None or port.host_last not in (None, port.host):
            continue
        for other, theirs in run:
            same = theirs.host == port.host and _same_address(port, theirs)
            if same and other.document is launch.document and other.overlaps(launch):
                name = other.container.name if other.container is not None else ""
                yield Publication(
                    launch, port, name, theirs.document or other.document, theirs.span
                )
                break
        run.append((launch, port))


def copies(launch: Launch) -> Setting | None:
    """The number of a Compose service's containers, None where there is at most one."""
    box = launch.container
    if box is None or box.kind != "compose" or box.replicas is None:
        return None
    return box.replicas if (box.replicas.number or 0) > 1 else None


def _clash(first: Container, port: Port, second: Container, theirs: Port) -> bool:
    """Whether two services that may run together publish on one address."""
    if first.name == second.name:
        return False
    if not first.may_run_beside(second):
        return False
    return _same_address(port, theirs)


def _same_address(port: Port, theirs: Port) -> bool:
    everywhere = {"", "0.0.0.0", "::"}
    return port.host_ip == theirs.host_ip or not everywhere.isdisjoint(
        {port.host_ip, theirs.host_ip}
    )
