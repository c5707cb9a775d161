"""What stands in a DeepSpeed config, looked up by dotted paths."""

from __future__ import annotations

from cfglint.model.tree import Entry, Mapping, Node, Scalar, Sequence, target
from cfglint.releases.data import Release

AUTO = "auto"


class Contents:
    """What a config holds, by its paths; no path leads into a list or past a key with a dot."""

    def __init__(self, root: Mapping, release: Release) -> None:
        self.mappings: dict[str, Mapping] = {}
        self.entries: dict[str, Entry] = {}
        self.texts: list[str] = []
        self.autos: list[tuple[str, Entry]] = []  # these, wherever they stand
        self._release = release
        self._add(root, "", True)

    def _add(self, node: Node, path: str, leads: bool) -> None:
        if isinstance(node, Sequence):
            for item in node.items:
                self._add(target(item), path, False)
        elif isinstance(node, Mapping):
            self._add_mapping(node, path, leads)

    def _add_mapping(self, mapping: Mapping, path: str, leads: bool) -> None:
        start = f"{path}." if path else ""
        for name, entry in mapping.index.items():
            value, here = target(entry.value), start + name
            plain = leads and "." not in name
            if plain:
                self.entries[here] = entry
            if not isinstance(value, Scalar):
                self._add(value, here, plain and isinstance(value, Mapping))
            elif value.value == AUTO:
                self.autos.append((here, entry))
            elif plain and isinstance(value.value, str):
                self.texts.append(here)
        if leads:
            self.mappings[path] = mapping
            section = self._release.section(path)
            for alias, key in section.aliases.items() if section is not None else ():
                if alias in mapping:
                    self.entries.setdefault(start + key, mapping.index[alias])
