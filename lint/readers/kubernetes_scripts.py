"""Scripts and configs that a manifest keeps in a ConfigMap and mounts into pods.

Source: Kubernetes API reference, ConfigMapVolumeSource (`items`), VolumeMount (`subPath`).
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator

from cfglint.commands.filled import held
from cfglint.model.document import Document
from cfglint.model.launch import Written
from cfglint.model.tree import Mapping, Scalar, Sequence, find, target, text_at
from cfglint.model.values import Literal
from cfglint.patterns import lazy
from cfglint.readers.kubernetes_env import Maps, Shared
from cfglint.syntax.shell_words import Part, ShellWord
from cfglint.syntax.yaml_text import fragment

_CONFIG = lazy(r"\.(?:ya?ml|json)$|^hostfile")
Bodies = Callable[[ShellWord], list[ShellWord]]


def mounted(
    document: Document, spec: Mapping | None, container: Mapping, maps: Maps
) -> Bodies | None:
    """Gives the text of a script by its path in the container, as a word of the manifest; None
    where nothing is mounted from the file's ConfigMaps."""
    if not maps or spec is None:
        return None
    files: dict[str, Scalar] = {}
    volumes = {text_at(one, "name"): one for one in _items(spec, "volumes")}
    for mount in _items(container, "volumeMounts"):
        volume = volumes.get(text_at(mount, "name"))
        source = volume.get("configMap") if volume is not None else None
        data = maps.get(text_at(source, "name")) if isinstance(source, Mapping) else None
        if data is None or not isinstance(source, Mapping):
            continue
        at, single = text_at(mount, "mountPath"), text_at(mount, "subPath")
        for name, node in _files(source, data):
            if single and single != name:
                continue
            files[posixpath.normpath(at if single else posixpath.join(at, name))] = node

    def bodies(word: ShellWord) -> list[ShellWord]:
        node = files.get(posixpath.normpath(word.text)) if word.text else None
        written = fragment(document, node) if node is not None else None
        if node is None or written is None:
            return []
        text = node.text
        parts = (Part(Literal(text), 0, len(text)),)
        return [ShellWord(Shared(document, node, written), document, parts, 0, len(text))]

    return bodies if files else None


def configs(document: Document, maps: Maps) -> Iterator[Written]:
    """The YAML and JSON files that the ConfigMaps of a manifest hold, and hostfiles."""
    for data in maps.values():
        for name, entry in data.index.items():
            node = target(entry.value)
            if not isinstance(node, Scalar) or node.style != "|" or not _CONFIG.search(name):
                continue
            written = fragment(document, node)
            if written is not None:
                text = Shared(document, node, written)
                file = held(text, 0, node.text, name, document.source)
                if file is not None:
                    yield file


def _files(source: Mapping, data: Mapping) -> Iterator[tuple[str, Scalar]]:
    """The files that a volume makes of a ConfigMap's data."""
    chosen = {text_at(one, "key"): text_at(one, "path") for one in _items(source, "items")}
    for name, entry in data.index.items():
        node = target(entry.value)
        if isinstance(node, Scalar) and (not chosen or name in chosen):
            yield chosen.get(name, name), node


def _items(mapping: Mapping, name: str) -> Iterator[Mapping]:
    listed = find(mapping, name)
    for item in listed.items if isinstance(listed, Sequence) else ():
        node = target(item)
        if isinstance(node, Mapping):
            yield node
