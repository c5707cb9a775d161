"""Edits on the data of a document, whatever its syntax: YAML or JSON.

Rules call these with nodes of the positioned tree; each returns an edit that declares its change,
or None where that cannot be written (an anchor others share, a syntax without data).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from types import ModuleType
from typing import TYPE_CHECKING, Any

from cfglint.model.edit import DropComment, Edit
from cfglint.model.tree import Alias, Entry, Mapping, Node, Path, Scalar, Sequence, find, target
from cfglint.model.values import Computed, Literal, Value, Variable, parse_int
from cfglint.record import dataclass, replace
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.model.fragment import Item


def _syntax(document: Document) -> ModuleType:
    if type(document.tree).__name__ == "JsonFile":
        from cfglint.syntax import json_edit

        return json_edit
    from cfglint.syntax import yaml_edit

    return yaml_edit


def set_value(document: Document, node: Node, value: Any) -> Edit | None:
    """Give a value another one."""
    edit: Edit | None = _syntax(document).set_value(document, node, value)
    return edit


def written(change: Edit | None, value: Any) -> str:
    """How the edit that sets a value spells it, for the title of its fix."""
    text = change.text.strip() if change is not None else ""
    return text if text and "\n" not in text else str(value)


def rename_key(document: Document, entry: Entry, name: str) -> Edit | None:
    """Call a key another name."""
    edit: Edit | None = _syntax(document).rename_key(document, entry, name)
    return edit


def replace_entry(
    document: Document, mapping: Mapping, entry: Entry, name: str, value: dict[str, Any]
) -> Edit | None:
    """Put a key with a mapping in place of another key and its value; None in JSON."""
    replace_it = getattr(_syntax(document), "replace_entry", None)
    edit: Edit | None = replace_it(document, mapping, entry, name, value) if replace_it else None
    return edit


def remove_entry(document: Document, mapping: Mapping, entry: Entry) -> Edit | None:
    """Take a key and its value away."""
    edit: Edit | None = _syntax(document).remove_entry(document, mapping, entry)
    return edit


def remove_item(document: Document, sequence: Sequence, item: Node) -> Edit | None:
    """Take an item out of a list."""
    edit: Edit | None = _syntax(document).remove_item(document, sequence, item)
    return edit


def remove_variable(
    document: Document, listed: Mapping | Sequence, child: Entry | Node
) -> Edit | None:
    """Take an entry or item out of an environment, and with the last one the key that holds it."""
    edit = None
    if len(listed.entries if isinstance(listed, Mapping) else listed.items) == 1:
        edit = _remove_holder(document, listed)
    if edit is None and isinstance(listed, Mapping) and isinstance(child, Entry):
        edit = remove_entry(document, listed, child)
    elif edit is None and isinstance(listed, Sequence) and isinstance(child, Node):
        edit = everywhere(document, listed, remove_item(document, listed, child))
    return edit


def _remove_holder(document: Document, node: Node) -> Edit | None:
    """Take the key away whose value a node is, wherever aliases show the mapping around it."""
    paths = paths_of(document, node)
    path = paths[0] if paths else ()
    around = find(document.roots[int(path[0])], *path[1:-1]) if len(path) > 1 else None
    entry = around.entry(str(path[-1])) if isinstance(around, Mapping) else None
    if entry is None or not isinstance(around, Mapping):
        return None
    if len(paths) != len(paths_of(document, around)):
        return None  # merged into others, too
    return everywhere(document, around, remove_entry(document, around, entry))


def insert_items(
    document: Document, sequence: Sequence, after: Node, texts: Iterable[str]
) -> Edit | None:
    """Put strings behind an item of a list."""
    edit: Edit | None = _syntax(document).insert_items(document, sequence, after, texts)
    return edit


@dataclass(slots=True)
class ListItem:
    """An item of an argument list in YAML, as `cfglint.model.fragment.Item` wants it.

    `interpolates`: whatever reads the file replaces `$NAME` in it, and takes `$$` for one dollar.
    """

    document: Document
    listed: Sequence
    node: Node
    interpolates: bool = False

    def remove(self, last: Item | None = None) -> Edit | None:
        return everywhere(self.document, self.listed, self._remove(last))

    def _remove(self, last: Item | None) -> Edit | None:
        first = remove_item(self.document, self.listed, self.node)
        if first is None or last is None or last is self:
            return first
        if not isinstance(last, ListItem) or last.listed is not self.listed:
            return None
        items = self.listed.items
        at, end = (next(i for i, x in enumerate(items) if x is n) for n in (self.node, last.node))
        run = items[at : end + 1]
        found = [remove_item(self.document, self.listed, one) for one in run]
        edits = [one for one in found if one is not None and not one.text]
        changes = tuple(change for one in edits for change in one.changes)
        if len(edits) < len(run) or not edits:
            return None
        if self.listed.flow and at == 0:  # they share commas with each other, and none is before
            behind = items[end + 1 : end + 2]
            gaps = (Span(a.end, b.start) for a, b in pairwise([*run, *behind]))
            if any("#" in self.document.source.slice(gap) for gap in gaps):
                return None
            span = Span(run[0].start, behind[0].start if behind else run[-1].end)
            return Edit(first.path, span, "", changes)
        if len(run) == len(items) or any(a.span.end != b.span.start for a, b in pairwise(edits)):
            return None
        return Edit(first.path, Span(first.span.start, edits[-1].span.end), "", changes)

    def insert_behind(self, texts: Iterable[str]) -> Edit | None:
        texts = tuple(texts)
        escaped = self.interpolates and any(
            isinstance(item, Scalar) and "$$" in item.text for item in self.listed.items
        )
        if escaped and any("$" in text for text in texts):
            return None  # whose dollar it is cannot be told from the words
        edit = insert_items(self.document, self.listed, self.node, texts)
        return everywhere(self.document, self.listed, edit)


def everywhere(document: Document, node: Node, edit: Edit | None) -> Edit | None:
    """The edit below (or of) a node, declared for every place at which aliases show the node.

    Pods of one job often share a template by an anchor; what is wrong in it is wrong in all.
    """
    changes = [c for c in edit.changes if not isinstance(c, DropComment)] if edit else []
    paths = list(paths_of(document, node)) if changes else []
    base = next((p for p in paths if changes[0].path[: len(p)] == p), None)
    if edit is None or base is None or len(paths) < 2:
        return edit
    moved = [
        replace(change, path=(*path, *change.path[len(base) :]))
        for path in paths
        for change in changes
    ]
    return replace(edit, changes=tuple(moved))


def paths_of(document: Document, wanted: Node) -> list[Path]:
    """The paths at which a node stands in the data, through aliases and merges as well."""
    tree = document.tree
    if document.places is None or document.places[0] is not tree:
        document.places = tree, _places(document)
    return document.places[1].get(id(wanted), [])


def _places(document: Document) -> dict[int, list[Path]]:
    """The paths of every node of a document, by its id."""
    found: dict[int, list[Path]] = defaultdict(list)
    stack: list[tuple[Node, Path]] = [(r, (i,)) for i, r in enumerate(document.roots)]
    count = 0
    while stack and count < 50_000:
        node, path = stack.pop()
        count += 1
        node = target(node) if isinstance(node, Alias) else node
        found[id(node)].append(path)
        if isinstance(node, Mapping):
            stack += [(e.value, (*path, name)) for name, e in node.index.items()]
        elif isinstance(node, Sequence):
            stack += [(item, (*path, i)) for i, item in enumerate(node.items)]
    return found


def insert_entry(
    document: Document, mapping: Mapping, name: str, value: Any, after: Entry | None = None
) -> Edit | None:
    """Add a key to a mapping, behind `after` or at its end."""
    edit: Edit | None = _syntax(document).insert_entry(document, mapping, name, value, after)
    return edit


def append_item(document: Document, sequence: Sequence, value: Any) -> Edit | None:
    """Add an item to a list."""
    edit: Edit | None = _syntax(document).append_item(document, sequence, value)
    return edit


def make_strict(document: Document) -> list[Edit] | None:
    """Turn a JSON file with Hjson's liberties into strict JSON, None where that cannot be done."""
    from cfglint.syntax import json_edit

    return json_edit.make_strict(document)


class NodePlace:
    """The place of a value in YAML or JSON: nothing expands variables there.

    With `variables`, a `${NAME:-default}` is understood by whatever reads the file (compose).
    """

    __slots__ = ("document", "entry", "mapping", "node", "variables")

    def __init__(
        self,
        document: Document,
        node: Node,
        mapping: Mapping | None = None,
        entry: Entry | None = None,
        variables: bool = False,
    ) -> None:
        self.document = document
        self.node = node
        self.mapping = mapping
        self.entry = entry
        self.variables = variables

    def write(self, value: Value) -> Edit | None:
        if isinstance(value, Literal):
            data: Any = value.text
            number = parse_int(value.text)
            quoted = isinstance(self.node, Scalar) and not self.node.is_plain
            if number is not None and not quoted and str(number) == value.text:
                data = number
            return set_value(self.document, self.node, data)
        if self.variables and isinstance(value, (Variable, Computed)):
            text = spell(value)
            return set_value(self.document, self.node, text) if text else None
        return None

    def remove(self) -> Edit | None:
        if self.mapping is None or self.entry is None:
            return None
        return remove_entry(self.document, self.mapping, self.entry)

    def rename(self, name: str) -> Edit | None:
        """The edit that calls the key another name, None where the mapping has it already."""
        if self.entry is None or self.mapping is None or name in self.mapping:
            return None
        return rename_key(self.document, self.entry, name)


class EnvironmentPlace(NodePlace):
    """The place of a value in a mapping that is an environment."""

    __slots__ = ()

    def remove(self) -> Edit | None:
        if self.mapping is None or self.entry is None:
            return None
        return remove_variable(self.document, self.mapping, self.entry)


def spell(value: Value) -> str | None:
    """A value in the `${NAME:-default}` notation of shells and compose; None if it has none."""
    if isinstance(value, Literal):
        return value.text
    if isinstance(value, Variable):
        if value.default is None:
            return f"${{{value.name}{value.operator}}}" if value.operator else f"${{{value.name}}}"
        inner = spell(value.default)
        return None if inner is None else f"${{{value.name}{value.operator or ':-'}{inner}}}"
    if isinstance(value, Computed):
        return value.text
    return None
