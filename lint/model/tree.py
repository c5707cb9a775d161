"""The positioned tree that YAML and JSON share: what stands in the file, and where.

Nothing is lost or decided here: a key that stands twice is there twice, an alias is an alias, a
merge key is an entry. `Mapping.get` answers as the loaders do (the last one wins, own keys before
merged ones).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, TypeAlias

from cfglint.text import Span

Key: TypeAlias = "str | int"
Path: TypeAlias = "tuple[Key, ...]"
MERGE = "<<"


class Node:
    """A piece of a file. `start` and `end` are offsets, `anchor` a YAML anchor's name or None."""

    __slots__ = ("anchor", "end", "start")

    def __init__(self, start: int, end: int, anchor: str | None = None) -> None:
        self.start = start
        self.end = end
        self.anchor = anchor

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


class Scalar(Node):
    """A single value. `text` is what it says once quotes and escapes are gone.

    `style` is "" for a plain YAML scalar, the quote or block sign (`'`, `"`, `|`, `>`) else, and
    "json" for a JSON literal that is no string. `value` is the typed value its format gives it
    (YAML 1.1 as PyYAML's safe loader reads it). `tag` is an explicit YAML tag or None.
    """

    __slots__ = ("_value", "style", "tag", "text")

    def __init__(
        self,
        start: int,
        end: int,
        text: str,
        style: str = "",
        tag: str | None = None,
        anchor: str | None = None,
    ) -> None:
        self.start = start  # not by way of Node: scalars are what files are made of
        self.end = end
        self.anchor = anchor
        self.text = text
        self.style = style
        self.tag = tag
        self._value: Any = _UNRESOLVED

    @property
    def value(self) -> Any:
        if self._value is _UNRESOLVED:
            self._value = _resolver()(self)
        return self._value

    @property
    def is_plain(self) -> bool:
        """Whether it stands without quotes (as a number, word or JSON literal does)."""
        return self.style in ("", "json")


_UNRESOLVED = object()


@cache
def _resolver() -> Callable[[Scalar], Any]:
    from cfglint.model.scalars import resolve

    return resolve


class Entry:
    """A key and its value in a mapping."""

    __slots__ = ("key", "name", "value")

    def __init__(self, key: Node, value: Node) -> None:
        self.key = key
        self.value = value
        meant = key if key.__class__ is Scalar else target(key)
        # The key's text, or None when the key is itself a list or mapping.
        self.name: str | None = meant.text if isinstance(meant, Scalar) else None

    @property
    def span(self) -> Span:
        return Span(self.key.start, max(self.key.end, self.value.end))


class Mapping(Node):
    """Keys and values in the order of the file, doubles and merge keys included.

    `tag` is an explicit YAML tag or None, here and in a list.
    """

    __slots__ = ("_index", "entries", "flow", "tag")

    def __init__(self, start: int, end: int, flow: bool, anchor: str | None = None) -> None:
        super().__init__(start, end, anchor)
        self.flow = flow
        self.tag: str | None = None
        self.entries: list[Entry] = []
        self._index: dict[str, Entry] | None = None

    @property
    def index(self) -> dict[str, Entry]:
        """The entry that counts for each key, merged keys included."""
        if self._index is None:
            self._index = {}  # set first: an anchor that contains itself ends here
            found = {e.name: e for e in self.entries if e.name is not None}
            if found.pop(MERGE, None) is not None:
                own, found = found, {}
                for entry in self.entries:
                    key = entry.key
                    if entry.name == MERGE and isinstance(key, Scalar) and key.is_plain:
                        for source in _merge_sources(entry.value):
                            for name, merged in source.index.items():
                                found.setdefault(name, merged)
                found.update(own)
            self._index = found
        return self._index

    def entry(self, name: str) -> Entry | None:
        """The entry that counts for `name`."""
        return self.index.get(name)

    def get(self, name: str) -> Node | None:
        """The value that counts for `name`, aliases followed."""
        entry = self.index.get(name)
        return target(entry.value) if entry else None

    def __contains__(self, name: object) -> bool:
        return name in self.index

    def names(self) -> Iterator[str]:
        """The names of all keys that count."""
        return iter(self.index)


class Sequence(Node):
    """A list."""

    __slots__ = ("flow", "items", "tag")

    def __init__(self, start: int, end: int, flow: bool, anchor: str | None = None) -> None:
        super().__init__(start, end, anchor)
        self.flow = flow
        self.tag: str | None = None
        self.items: list[Node] = []


class Alias(Node):
    """A YAML alias. `target` is the node it stands for, None where that is an open ancestor."""

    __slots__ = ("name", "target")

    def __init__(self, start: int, end: int, name: str, target: Node | None) -> None:
        super().__init__(start, end)
        self.name = name
        self.target = target


def target(node: Node) -> Node:
    """The node itself, or what an alias stands for."""
    while node.__class__ is Alias and node.target is not None:
        node = node.target
    return node


def _merge_sources(node: Node) -> list[Mapping]:
    node = target(node)
    if isinstance(node, Mapping):
        return [node]
    if isinstance(node, Sequence):
        return [item for item in map(target, node.items) if isinstance(item, Mapping)]
    return []


def text_at(mapping: Mapping, key: str) -> str:
    """The text of a key's scalar, "" where there is none."""
    node = mapping.get(key)
    return node.text if isinstance(node, Scalar) else ""


def find(root: Node, *path: Key) -> Node | None:
    """The node at a path of keys and indices, aliases and merges followed."""
    node: Node | None = target(root)
    for step in path:
        if isinstance(node, Mapping) and isinstance(step, str):
            node = node.get(step)
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            node = target(node.items[step])
        else:
            return None
    return node


def path_of(root: Node, wanted: Node) -> Path | None:
    """The path at which a node itself (not an alias of it) stands below `root`."""
    path: list[Key] = []
    node = root
    while node is not wanted:
        step: tuple[Key, Node] | None = None
        if isinstance(node, Mapping):
            for entry in node.entries:
                value = entry.value
                if value is wanted or (value.start <= wanted.start and wanted.end <= value.end):
                    step = (entry.name or "", value)
                    if value is wanted:
                        break
        elif isinstance(node, Sequence):
            for i, item in enumerate(node.items):
                if item is wanted or (item.start <= wanted.start and wanted.end <= item.end):
                    step = (i, item)
                    if item is wanted:
                        break
        if step is None:
            return None
        path.append(step[0])
        node = step[1]
    return tuple(path)


def walk(root: Node) -> Iterator[Node]:
    """Every node that stands below and at `root`, in the order of the file; keys included."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Mapping):
            for entry in reversed(node.entries):
                stack.append(entry.value)
                stack.append(entry.key)
        elif isinstance(node, Sequence):
            stack.extend(reversed(node.items))


def mappings(root: Node) -> Iterator[Mapping]:
    """Every mapping that stands below and at `root`, in the order of the file."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, Mapping):
            yield node
            below = [part for entry in node.entries for part in (entry.key, entry.value)]
        elif isinstance(node, Sequence):
            below = node.items
        else:
            continue
        stack.extend(part for part in reversed(below) if part.__class__ is not Scalar)


def to_data(node: Node) -> Any:
    """Plain Python data of a node, merges resolved, the last of double keys winning.

    The YAML reader bounds what aliases can expand to, and how deep a tree goes.
    """
    node = target(node)
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Mapping):
        return {_key(entry): to_data(entry.value) for entry in node.index.values()}
    if isinstance(node, Sequence):
        return [to_data(item) for item in node.items]
    return None


def _key(entry: Entry) -> Any:
    key = target(entry.key)
    return key.value if isinstance(key, Scalar) else None
