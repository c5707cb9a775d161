"""The services of a Compose file as Compose sees them: anchors, merges and `extends` followed.

Source: compose-spec 05-services, 13-merge; compose-go `loader` and `override`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cfglint.model.edit import Edit
from cfglint.model.launch import Setting
from cfglint.model.tree import Entry, Mapping, Node, Scalar, Sequence, find, target
from cfglint.model.values import Literal, Unknown, Value, Variable
from cfglint.record import dataclass, field
from cfglint.syntax import interpolation
from cfglint.syntax.editing import EnvironmentPlace, NodePlace, remove_variable, set_value
from cfglint.syntax.yaml_text import scalar_offsets
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.model.document import Document

MAX_EXTENDS = 32
# Roles of the files that services are put together from.
OVERRIDE, EXTENDED, INCLUDED = "compose-override", "compose-extended", "compose-included"
# What Compose reads without being told.
DEFAULT = re.compile(r"((?:docker-)?compose)\.(ya?ml)")
Lookup = Callable[[str], "Setting | None"]


class Owned(NamedTuple):
    """An entry and the mapping in whose lines it stands (or is merged into)."""

    mapping: Mapping
    entry: Entry
    document: Document

    @property
    def value(self) -> Node:
        return target(self.entry.value)

    @property
    def is_own(self) -> bool:
        """Whether the entry stands in the mapping itself and not behind a merge key."""
        return any(each is self.entry for each in self.mapping.entries)


@dataclass(slots=True)
class Service:
    """One service. `layers` holds the mappings that make it, the one that counts most first: what
    an override file says, its own lines (`mapping`), what it extends; `origins` their files.

    `complete` is False where it extends or is merged into a service of a file not at hand.
    """

    name: str
    key: Node
    document: Document
    mapping: Mapping
    layers: list[Mapping] = field(default_factory=list)
    origins: list[Document] = field(default_factory=list)
    complete: bool = True

    def find(self, key: str) -> Owned | None:
        """The entry that counts for a key which replaces what is extended."""
        return next(self._counting(key), None)

    def all(self, key: str) -> Iterator[Owned]:
        """The entries for a key that adds to what is extended, the extended ones first."""
        yield from reversed(list(self._counting(key)))

    def _counting(self, key: str) -> Iterator[Owned]:
        """The entries for a key that no other hides (`!reset`, `!override`), the first one that
        counts most."""
        for layer, origin in zip(self.layers, self.origins, strict=True):
            entry = layer.entry(key)
            if entry is None:
                continue
            owned = Owned(layer, entry, origin)
            tag = getattr(owned.value, "tag", None)
            if tag != "!reset":
                yield owned
            if tag in ("!reset", "!override"):
                return

    def is_own(self, owned: Owned | None) -> bool:
        """Whether an entry stands in the service's own file."""
        return owned is not None and owned.document is self.document

    def may_change(self, owned: Owned) -> bool:
        """Whether an entry is the service's alone: in its own file or in one merged over it, where
        what it extends serves others too."""
        at = next(i for i, each in enumerate(self.layers) if each is self.mapping)
        return any(owned.mapping is each for each in self.layers[: at + 1])

    def folder(self, origin: Document) -> str:
        """Where paths of a file that the service is made of start, from its own file's folder."""
        mine, other = self.document.file.parent, project_folder(origin)
        return os.path.relpath(other, mine).replace(os.sep, "/")

    def scalar(self, *path: str) -> Scalar | None:
        """The scalar at a path of keys; mappings are merged key by key."""
        owned = self.holding(*path)
        node = find(owned.value, *path[1:]) if owned else None
        return node if isinstance(node, Scalar) else None

    def holding(self, *path: str) -> Owned | None:
        """The entry for the first of some keys that has the others in it."""
        found = self._counting(path[0])
        return next((each for each in found if find(each.value, *path[1:]) is not None), None)

    def text(self, *path: str) -> str:
        """The text at a path, variables at their defaults; "" where it is not there or unknown."""
        node = self.scalar(*path)
        return filled(node) or "" if node is not None else ""

    def texts(self, key: str) -> list[tuple[Scalar, str]]:
        """The strings of a key that takes one string or a list of them."""
        found: list[tuple[Scalar, str]] = []
        for owned in self.all(key):
            value = owned.value
            items = value.items if isinstance(value, Sequence) else [value]
            for item in map(target, items):
                if isinstance(item, Scalar) and item.value is not None:
                    found.append((item, filled(item) or item.text))
        return found


def filled(node: Scalar) -> str | None:
    """The text of a scalar with each variable at its default."""
    if "$" not in node.text:
        return node.text
    return interpolation.filled(interpolation.compose(node.text))


def services(document: Document) -> list[Service]:
    """The services of a Compose file, in its order.

    Files that it extends or that override it are those behind the document's links.
    """
    table = _table(document)
    if table is None:
        return []
    merged_over = overrides(document)
    claimed = document.compose.claimed  # names that other files of the project have too
    found: list[Service] = []
    for entry in table.entries:
        name, mapping = entry.name, target(entry.value)
        if name is None or name == "<<" or not isinstance(mapping, Mapping):
            continue
        service = Service(name, entry.key, document, mapping, [mapping], [document])
        _extend(service, table)
        for override in merged_over:
            over = _table(override)
            above = over.get(name) if over is not None else None
            if isinstance(above, Mapping):
                service.layers.insert(0, above)
                service.origins.insert(0, override)
                whole = "extends" not in above and above.tag is None
                service.complete = service.complete and whole
        alone = DEFAULT.fullmatch(document.file.name) or _has_image(service)
        if "override" in document.file.name or not alone:
            service.complete = False  # it is merged into a service of another file
        if name in claimed or document.compose.is_open:
            service.complete = False
        found.append(service)
    return found


def overrides(document: Document) -> list[Document]:
    """The files that Compose merges over one, in order."""
    return [r.document for r in document.links if r.role == OVERRIDE and r.document]


def names(document: Document) -> set[str]:
    """The names of the services that a file and those merged over it speak of."""
    tables = map(_table, (document, *overrides(document)))
    return {name for table in tables if table is not None for name in table.names()}


def project_folder(document: Document) -> Path:
    """Where a file's paths start: its folder, or the one that its includer says."""
    folder = document.compose.folder or document.file.parent
    return folder


def _has_image(service: Service) -> bool:
    return any(service.find(key) is not None for key in ("image", "build", "provider"))


def _table(document: Document) -> Mapping | None:
    root = target(document.root) if document.root is not None else None
    table = root.get("services") if isinstance(root, Mapping) else None
    return table if isinstance(table, Mapping) else None


def extended_file(mapping: Mapping) -> Scalar | None:
    """The node that names the other file which a service extends."""
    node = find(mapping, "extends", "file")
    return node if isinstance(node, Scalar) else None


def _extend(service: Service, table: Mapping) -> None:
    mapping, document = service.mapping, service.document
    while len(service.layers) < MAX_EXTENDS:
        extends = mapping.get("extends")
        if extends is None:
            return
        name = extends if isinstance(extends, Scalar) else find(extends, "service")
        file = extended_file(mapping)
        if file is not None:
            links = (r for r in document.links if r.role == EXTENDED and r.path == file.text)
            document = next((r.document for r in links if r.document), document)
            other = _table(document) if document is not service.document else None
            table = other or Mapping(0, 0, False)
        parent = table.get(name.text) if isinstance(name, Scalar) else None
        if not isinstance(parent, Mapping) or any(parent is layer for layer in service.layers):
            service.complete = False
            return
        service.layers.append(parent)
        service.origins.append(document)
        mapping = parent


# -- environment -------------------------------------------------------------------------------


class ItemPlace:
    """A NAME=value item of a list: `start` is where the value begins in the item's text."""

    __slots__ = ("document", "node", "sequence", "start")

    def __init__(self, document: Document, sequence: Sequence, node: Scalar, start: int) -> None:
        self.document = document
        self.sequence = sequence
        self.node = node
        self.start = start

    def write(self, value: Value) -> Edit | None:
        text = written(value)
        if text is None:
            return None
        return set_value(self.document, self.node, self.node.text[: self.start] + text)

    def remove(self) -> Edit | None:
        return remove_variable(self.document, self.sequence, self.node)

    def rename(self, name: str) -> Edit | None:
        value = self.node.text[self.start :]
        return set_value(self.document, self.node, f"{name}={value}")


class ValuePlace(NodePlace):
    """A value of a mapping that Compose interpolates."""

    __slots__ = ()

    def write(self, value: Value) -> Edit | None:
        if isinstance(value, Literal) and "$" in value.text:
            return super().write(Literal(value.text.replace("$", "$$")))
        return super().write(value)


class VariablePlace(ValuePlace, EnvironmentPlace):
    """A value of a mapping that is an environment."""

    __slots__ = ()


def written(value: Value) -> str | None:
    """A value in Compose's notation, None where it has none there."""
    if isinstance(value, Literal):
        return value.text.replace("$", "$$")
    if isinstance(value, Variable) and (
        value.default is None or isinstance(value.default, Literal)
    ):
        default = value.default.text if isinstance(value.default, Literal) else ""
        operator = value.operator or (":-" if value.default is not None else "")
        return f"${{{value.name}{operator}{default}}}"
    return None


def environment(service: Service, lookup: Lookup) -> dict[str, Setting]:
    """The variables that a service's `environment` sets, by name, interpolated."""
    found: dict[str, Setting] = {}
    for owned in service.all("environment"):
        found.update(_assigned(owned.document, owned.value, lookup))
    return found


def assignments(document: Document) -> Iterator[Setting]:
    """What the services of a file are given by name, as they run and as they are built."""
    for service in services(document):
        yield from environment(service, lambda _: None).values()
        build = service.find("build")
        args = find(build.value, "args") if build is not None else None
        if build is not None and args is not None:
            yield from _assigned(build.document, target(args), lambda _: None).values()


def _assigned(document: Document, node: Node, lookup: Lookup) -> dict[str, Setting]:
    """The names and values of a mapping, or of a list of `NAME=value`."""
    found: dict[str, Setting] = {}
    if isinstance(node, Mapping):
        for name, entry in node.index.items():
            found[name] = _from_entry(document, node, entry, name, lookup)
    elif isinstance(node, Sequence):
        for item in map(target, node.items):
            if isinstance(item, Scalar) and item.text:
                setting = _from_item(document, node, item, lookup)
                found[setting.key] = setting
    return found


def _from_entry(
    document: Document, mapping: Mapping, entry: Entry, name: str, lookup: Lookup
) -> Setting:
    node = target(entry.value)
    is_null = isinstance(node, Scalar) and node.value is None and not node.style
    if not isinstance(node, Scalar) or is_null:
        # `NAME:` without a value hands the host's variable on.
        value: Value = Variable(name) if is_null else Unknown("")
        span = entry.key.span
    else:
        value, span = interpolated(node.text, lookup), node.span
    place = VariablePlace(document, node, mapping, entry, variables=True)
    key = entry.key.span
    return Setting(name, value, document, span, name, key, origin="env", place=place)


def _from_item(document: Document, sequence: Sequence, item: Scalar, lookup: Lookup) -> Setting:
    name, equals, text = item.text.partition("=")
    offsets = scalar_offsets(document.source, item)
    start = len(name) + len(equals)
    value = interpolated(text, lookup) if equals else Variable(name)
    key, span = item.span, item.span
    if offsets is not None:
        key = Span(offsets[0], offsets[len(name)])
        span = Span(offsets[start], offsets[-1]) if equals else key
    place = ItemPlace(document, sequence, item, start)
    return Setting(name, value, document, span, name, key, origin="env", place=place)


def interpolated(text: str, lookup: Lookup) -> Value:
    """The value of a text, with what the project's `.env` says of its variables."""
    if "$" not in text:
        return Literal(text)
    return interpolation.joined(
        interpolation.resolved(interpolation.compose(text), values(lookup)), text
    )


def values(lookup: Lookup) -> interpolation.Lookup:
    """Settings of `.env` as values: defaults that the host's shell beats."""

    def value(name: str) -> Value | None:
        setting = lookup(name)
        return Variable(name, setting.value, ":-") if setting else None

    return value
