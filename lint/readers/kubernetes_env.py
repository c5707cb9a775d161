"""The lines of a pod's container: its variables, and how they and others are written.

Kubernetes replaces `$(NAME)` in env values where NAME is a variable of the container, and nothing
else; `$NAME` there is envsubst's.
Source: Kubernetes API reference, Container.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping as Variables
from typing import Any

from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.fragment import Fragment
from cfglint.model.launch import Setting
from cfglint.model.tree import Entry, Mapping, Node, Scalar, Sequence, find, target, walk
from cfglint.model.values import Computed, Literal, Unknown, Value, Variable
from cfglint.readers.manifests import objects
from cfglint.record import dataclass, field, replace
from cfglint.syntax.editing import (
    append_item,
    everywhere,
    insert_entry,
    remove_variable,
    replace_entry,
    set_value,
)
from cfglint.syntax.yaml_text import write

Maps = dict[str, Mapping]
REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_][\w.-]*)\)|\$\{?([A-Za-z_]\w*)\}?")


@dataclass(slots=True)
class Environment:
    """The variables of a container. `complete` is False where some are kept elsewhere (`why`)."""

    variables: dict[str, Setting] = field(default_factory=dict)
    complete: bool = True
    why: str = ""


def config_maps(document: Document) -> Maps:
    """The data of the ConfigMaps of a file, by name."""
    found: Maps = {}
    for root in objects(document):
        name, data = find(root, "metadata", "name"), find(root, "data")
        kind = find(root, "kind")
        if not isinstance(kind, Scalar) or kind.text != "ConfigMap":
            continue
        if isinstance(name, Scalar) and isinstance(data, Mapping):
            found[name.text] = data
    return found


def environment(document: Document, container: Mapping, maps: Maps) -> Environment:
    """The variables of a container, `$(NAME)` replaced, ConfigMaps of the same file included."""
    result = Environment()
    sources = container.get("envFrom")
    for source in map(target, sources.items if isinstance(sources, Sequence) else []):
        name = find(source, "configMapRef", "name")
        data = maps.get(name.text) if isinstance(name, Scalar) else None
        if data is None:
            result.complete, result.why = False, "some of its variables are kept elsewhere"
            continue
        for key, entry in data.index.items():
            node = target(entry.value)
            if isinstance(node, Scalar):
                result.variables[key] = Setting(
                    key, Literal(node.text), document, node.span, key, entry.key.span, origin="env"
                )
    listed = container.get("env")
    for item in map(target, listed.items if isinstance(listed, Sequence) else []):
        if isinstance(item, Mapping) and isinstance(listed, Sequence):
            setting = _variable(document, listed, item, result.variables)
            if setting is not None:
                result.variables[setting.name] = setting
    return result


def _variable(
    document: Document, listed: Sequence, item: Mapping, known: Variables[str, Setting]
) -> Setting | None:
    name, value = item.get("name"), item.get("value")
    if not isinstance(name, Scalar) or not name.text:
        return None
    path = find(item, "valueFrom", "fieldRef", "fieldPath")
    own = _OWN.get(path.text) if isinstance(path, Scalar) else None
    meaning: Value = Computed(name.text, None, None, True, own) if own else Unknown("valueFrom")
    span = name.span
    if isinstance(value, Scalar):
        meaning, span = _value(value.text, known), value.span
    elif "valueFrom" not in item:
        meaning = Literal("")
    place = EnvPlace(document, listed, item)
    return Setting(
        name.text, meaning, document, span, name.text, name.span, origin="env", place=place
    )


# What the pod itself is called, and its address.
_OWN = {"metadata.name": "hostname", "status.podIP": "hostname-ip"}


def _value(text: str, known: Variables[str, Setting]) -> Value:
    if "$" not in text:
        return Literal(text)
    whole = REFERENCE.fullmatch(text)
    if whole is not None and whole[1]:
        return known[whole[1]].value if whole[1] in known else Literal(text)
    if whole is not None and whole[2]:
        return Variable(whole[2])
    return Unknown(text)


class EnvPlace:
    """An item of a container's `env`."""

    __slots__ = ("document", "item", "listed")

    def __init__(self, document: Document, listed: Sequence, item: Mapping) -> None:
        self.document = document
        self.listed = listed
        self.item = item

    def write(self, value: Value) -> Edit | None:
        node = self.item.get("value")
        if not isinstance(value, Literal) or node is None:
            return None
        return set_node(self.document, node, value.text)

    def rename(self, name: str) -> Edit | None:
        node = self.item.get("name")
        return set_node(self.document, node, name) if node is not None else None

    def remove(self) -> Edit | None:
        item = next((n for n in self.listed.items if target(n) is self.item), self.item)
        return remove_variable(self.document, self.listed, item)

    def keep_secret(self) -> Edit | None:
        """The edit that takes the value from a Secret: one of the file, else of the variable's
        name."""
        name, value = self.item.get("name"), self.item.entry("value")
        if not isinstance(name, Scalar) or value is None:
            return None
        source = {"name": _secret(self.document, name.text), "key": name.text}
        edit = replace_entry(self.document, self.item, value, "valueFrom", {"secretKeyRef": source})
        return everywhere(self.document, self.item, edit)


def _secret(document: Document, variable: str) -> str:
    """The Secret in which a variable's value can be looked for."""
    named: set[str] = set()
    for node in (one for root in objects(document) for one in walk(root)):
        name = find(node, "secretKeyRef", "name") or find(node, "secretRef", "name")
        if isinstance(name, Scalar):
            named.add(name.text)
    return named.pop() if len(named) == 1 else variable.lower().replace("_", "-").strip("-")


def variables(document: Document) -> Iterator[Setting]:
    """The variables of every pod in the file."""
    boxes = (box for one in document.workloads for pod in one.pods for box in pod.boxes)
    return (setting for box in boxes for setting in box.env.values())


# -- edits -------------------------------------------------------------------------------------


class Shared(Fragment):
    """The text of a scalar that aliases may show at several places of the data."""

    __slots__ = ("document", "node")

    def __init__(self, document: Document, node: Scalar, written: Fragment) -> None:
        super().__init__(
            written.path, written.text, written.base, written.offsets, written.encode,
            written.data_path, written.to_data,
        )  # fmt: skip
        self.document = document
        self.node = node

    def edit(self, start: int, end: int, new: str) -> Edit | None:
        return everywhere(self.document, self.node, super().edit(start, end, new))


def set_node(document: Document, node: Node, text: str) -> Edit | None:
    """Give a scalar another text."""
    return everywhere(document, node, set_value(document, node, text))


def set_key(
    document: Document, mapping: Mapping, name: str, value: Any, after: Entry | None = None
) -> Edit | None:
    """Give a mapping a key with a value."""
    own = next((e for e in mapping.entries if e.name == name), None)
    if own is not None:
        return everywhere(document, mapping, set_value(document, own.value, value))
    if name in mapping:
        return None
    return everywhere(document, mapping, insert_entry(document, mapping, name, value, after))


def add(document: Document, container: Mapping, name: str, value: str) -> Edit | None:
    """Add a variable to a container's env."""
    item = {"name": name, "value": value}
    listed = container.get("env")
    if listed is None:
        return set_key(document, container, "env", [item], container.entry("image"))
    return _append(document, listed, item) if isinstance(listed, Sequence) else None


def _append(document: Document, listed: Sequence, item: dict[str, Any]) -> Edit | None:
    """Add a mapping to a list, in block style where the list is in it."""
    edit = append_item(document, listed, item)
    if edit is None or listed.flow or not isinstance(target(listed.items[-1]), Mapping):
        return everywhere(document, listed, edit)
    indent, _, _ = edit.text.lstrip("\r\n").partition("- ")
    newline = document.source.newline
    lines = [f"{key}: {write(value)}" for key, value in item.items() if not isinstance(value, dict)]
    lines += [f"{key}: {_flow(value)}" for key, value in item.items() if isinstance(value, dict)]
    text = f"{indent}- " + f"{newline}{indent}  ".join(lines)
    leads = edit.text[:1] in ("\r", "\n")
    text = newline + text if leads else text + newline
    return everywhere(document, listed, replace(edit, text=text))


def _flow(value: dict[str, Any]) -> str:
    return "{" + ", ".join(f"{k}: {write(v, flow=True)}" for k, v in value.items()) + "}"


def set_option(
    document: Document, spec: Mapping, container: Mapping, option: str, value: str
) -> list[Edit] | None:
    """Edits that set an option of a container: shared memory is a volume and its mount."""
    if option != "shm_size":
        return None
    volume = {"name": "dshm", "emptyDir": {"medium": "Memory"}}
    mount = {"name": "dshm", "mountPath": "/dev/shm"}
    edits = [_list_entry(document, container, "volumeMounts", mount)]
    volumes = spec.get("volumes")
    known = map(target, volumes.items if isinstance(volumes, Sequence) else ())
    names = [find(one, "name") for one in known]
    if not any(isinstance(name, Scalar) and name.text == "dshm" for name in names):
        edits.append(_list_entry(document, spec, "volumes", volume))
    return None if None in edits else [edit for edit in edits if edit is not None]


def _list_entry(
    document: Document, mapping: Mapping, key: str, item: dict[str, Any]
) -> Edit | None:
    listed = mapping.get(key)
    if isinstance(listed, Sequence):
        return _append(document, listed, item)
    return set_key(document, mapping, key, [item]) if listed is None else None


__all__ = ["EnvPlace", "Environment", "add", "environment"]
