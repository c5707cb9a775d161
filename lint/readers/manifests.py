"""The API objects of a Kubernetes manifest, whatever holds them: YAML documents, JSON, a List."""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.model.document import Document
from cfglint.model.tree import Mapping, Scalar, Sequence, target


def objects(document: Document) -> Iterator[Mapping]:
    """Every object in a file; those of a `kind: List` stand for it."""
    for root in map(target, document.roots):
        if not isinstance(root, Mapping):
            continue
        kind = root.get("kind")
        listed = isinstance(kind, Scalar) and kind.text == "List"
        items = root.get("items") if listed else None
        found = items.items if isinstance(items, Sequence) else [root]
        yield from (one for one in map(target, found) if isinstance(one, Mapping))
