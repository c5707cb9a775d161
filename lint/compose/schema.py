"""What `docker compose` refuses in a file by its schema: keys, and values of another shape.

Compose checks each file, once its variables are filled in and what it extends is merged, against
the schema that schemas/compose.json is derived from. What only values could tell (the text of a
port, a duration) is left to Compose.
Source: compose-go `loader/loader.go` (loadYamlFile), `schema/schema.go`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from cfglint import schemas
from cfglint.model.tree import Entry, Mapping, Node, Scalar, Sequence, target

Place = dict[str, Any]
Names = tuple[str, ...]
_SERVICE = 2  # services.<name>: the length of a service's path


class Stray(NamedTuple):
    """A key that its mapping does not take. `path` leads to the mapping; `fitting` are the keys
    that take this value, `given` the keys that are there; `homes` are the mappings of the service,
    by their paths in it, that take a key of this name with this value."""

    path: Names
    entry: Entry
    fitting: Names
    given: Names
    homes: tuple[Names, ...]


class Misshapen(NamedTuple):
    """A value of a shape that its place does not take. `wanted` are the names of the shapes that
    it does, `path` leads to it (its own key or position last)."""

    path: Names
    node: Node
    wanted: Names


Refusal = Iterator["Stray | Misshapen"]


@cache
def _file() -> Place:
    return _place(schemas.read("compose")["file"])


def _place(found: Any) -> Place:
    return {"types": found} if isinstance(found, str) else found


def refused(root: Node | None) -> Refusal:
    """What of a file Compose's schema refuses, in the order of the file."""
    if isinstance(root, Mapping):
        yield from _refused(root, _file(), ())


def _refused(node: Node, place: Place, path: Names, above: Names = ()) -> Refusal:
    meant = target(node)
    if not _has_shape(meant, place):
        yield Misshapen(path, node, tuple(place["types"].split()))
    elif isinstance(meant, Mapping):
        mark = str(id(meant))
        if mark not in above:  # an anchor within itself
            yield from _in_mapping(meant, place, path, (*above, mark))
    elif isinstance(meant, Sequence) and "items" in place:
        for position, item in enumerate(meant.items):
            yield from _refused(item, _place(place["items"]), (*path, str(position)), above)


def _in_mapping(mapping: Mapping, place: Place, path: Names, above: Names) -> Refusal:
    keys, other = place.get("keys"), place.get("any")
    for name, entry in mapping.index.items():
        if keys is not None and name in keys:
            yield from _refused(entry.value, _place(keys[name]), (*path, name), above)
        elif keys is not None and name.startswith("x-"):
            continue
        elif other is not None:
            yield from _refused(entry.value, _place(other), (*path, name), above)
        elif keys is not None and not place.get("open"):
            fitting = tuple(k for k in keys if _takes(keys[k], entry.value))
            homes = tuple(_homes(name, entry.value, path))
            yield Stray(path, entry, fitting, tuple(mapping.index), homes)


def _homes(name: str, value: Node, path: Names) -> Iterator[Names]:
    """Where in a service (or, above the services, in the file) a key may stand with its value."""
    root = _file()
    if len(path) >= _SERVICE and path[0] == "services":
        root = _place(root["keys"]["services"]["any"])
    return _below(name, value, root, ())


def _below(name: str, value: Node, place: Place, path: Names) -> Iterator[Names]:
    keys = place.get("keys") or {}
    if name in keys and _takes(keys[name], value):
        yield path
    for key, found in keys.items():
        yield from _below(name, value, _place(found), (*path, key))


def _takes(found: Any, value: Node) -> bool:
    return next(_refused(value, _place(found), ()), None) is None


def _has_shape(node: Node, place: Place) -> bool:
    """Whether a place takes a value of this shape. Scalars are one shape here: Compose converts
    between texts, numbers and booleans where a variable may stand. A null is what it leaves out,
    and a tag (`!reset`, `!override`) its own affair."""
    types = place["types"].split()
    if isinstance(node, Mapping):
        return "mapping" in types
    if isinstance(node, Sequence):
        return "list" in types
    if not isinstance(node, Scalar) or node.tag is not None or node.value is None:
        return True
    return any(one not in ("mapping", "list", "null") for one in types)
