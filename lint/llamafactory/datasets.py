"""The datasets that a LLaMA-Factory config names, and the table (dataset_info.json) they stand in.

A relative `dataset_dir` starts at the folder from which the job is started, which the files do not
show: every table on the way from the config's folder to the root is possible.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from cfglint.llamafactory.arguments import UNKNOWN, Arguments
from cfglint.model.document import Document
from cfglint.model.tree import Entry, Mapping, Node, Scalar, Sequence, target
from cfglint.record import dataclass
from cfglint.text import Span

TABLE = "dataset_info.json"
SOURCES = ("hf_hub_url", "ms_hub_url", "om_hub_url", "script_url", "cloud_file_name", "file_name")


@dataclass(frozen=True, slots=True)
class NamedDataset:
    """A dataset that a config uses. `tables` are the tables that it can be looked up in; `entry`
    is its entry in the nearest one that has it."""

    key: str  # dataset or eval_dataset
    name: str
    span: Span
    tables: tuple[Document, ...]
    entry: Entry | None

    @property
    def description(self) -> Mapping | None:
        """What the table says of it."""
        found = target(self.entry.value) if self.entry else None
        return found if isinstance(found, Mapping) else None

    @property
    def is_file(self) -> bool:
        """Whether it is read from a file beside the table."""
        found = self.description
        used = next((s for s in SOURCES if found is not None and s in found), "")
        return used == "file_name"


def named(given: Arguments) -> Iterator[NamedDataset]:
    """The datasets that a config names, where a table of the tree can tell about them."""
    tables = tables_of(given)
    if not tables:
        return
    for key in ("dataset", "eval_dataset"):
        entry = given.entry(key)
        if entry is None or given.given.get(key) is UNKNOWN:
            continue
        for name, span in _names(given.document, target(entry.value)):
            yield NamedDataset(key, name, span, tables, _look_up(tables, name))


def tables_of(given: Arguments) -> tuple[Document, ...]:
    """The tables that a config can mean; none where its datasets are not looked up in a file."""
    folder = given.value("dataset_dir")
    if not isinstance(folder, str) or folder == "ONLINE" or folder.startswith("REMOTE:"):
        return ()
    if given.given.get("tokenized_path") is not None:
        return ()  # where that folder exists the datasets are not looked at
    path = f"{folder.rstrip('/')}/{TABLE}"
    project, document = given.project, given.document

    def find() -> tuple[Document, ...]:
        found = (project.file_at(p) for p in project.candidates(document, path))
        return tuple(table for table in found if table is not None and _root(table) is not None)

    tables: tuple[Document, ...] = project.fact(
        ("tables", os.path.dirname(document.file), path), find
    )
    return tables


def _root(table: Document) -> Mapping | None:
    root = target(table.root) if table.root is not None else None
    return root if isinstance(root, Mapping) else None


def _look_up(tables: tuple[Document, ...], name: str) -> Entry | None:
    for table in tables:
        root = _root(table)
        entry = root.entry(name) if root is not None else None
        if entry is not None:
            return entry
    return None


def _names(document: Document, node: Node) -> Iterator[tuple[str, Span]]:
    """The names in a value: comma-separated text, or a list."""
    if isinstance(node, Sequence):
        for item in node.items:
            scalar = target(item)
            if isinstance(scalar, Scalar):
                yield scalar.text, scalar.span
    elif isinstance(node, Scalar):
        written = document.source.text[node.start : node.end]
        at = 0
        for name in (part.strip() for part in node.text.split(",")):
            found = written.find(name, at) if name else -1
            if found < 0:
                yield name, node.span
            else:
                yield name, Span(node.start + found, node.start + found + len(name))
                at = found + len(name)
