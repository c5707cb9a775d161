"""The ports that a Compose service publishes, in the short form and the long one.

Source: compose-spec 05-services, ports; compose-go `types`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfglint.model.launch import Port
from cfglint.model.tree import Mapping, Node, Scalar, Sequence, target
from cfglint.model.values import parse_int
from cfglint.readers.compose_service import filled
from cfglint.record import replace
from cfglint.syntax.editing import set_value

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.readers.compose_service import Service


def ports(service: Service) -> list[Port]:
    """The published ports, short and long form."""
    found: list[Port] = []
    for owned in service.all("ports"):
        node = owned.value
        for item in map(target, node.items if isinstance(node, Sequence) else []):
            document = owned.document
            port = _long_port(item) if isinstance(item, Mapping) else _short_port(document, item)
            if port is None:
                continue
            if service.may_change(owned):
                port.document = document
            else:
                port = replace(port, span=service.key.span, unpublish=None)
            found.append(port)
    return found


def _long_port(item: Mapping) -> Port | None:
    def text(key: str) -> str:
        node = item.get(key)
        return filled(node) or "" if isinstance(node, Scalar) else ""

    target_port = parse_int(text("target"))
    published = parse_int(text("published").partition("-")[0])
    return Port(item.span, target_port, published, text("host_ip"))


def _short_port(document: Document, item: Node) -> Port | None:
    if not isinstance(item, Scalar):
        return None
    text = filled(item)
    if text is None:
        return Port(item.span, None)
    rest, _, _protocol = text.partition("/")
    head, _, container = rest.rpartition(":")
    ip, _, host = head.rpartition(":")
    first, _, last = container.partition("-")
    low, _, high = host.partition("-")
    return Port(
        item.span,
        parse_int(first),
        parse_int(low) if low else None,
        ip.strip("[]"),
        parse_int(last) if last else None,
        parse_int(high) if high else None,
        lambda: set_value(document, item, container),
    )
