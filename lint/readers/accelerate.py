"""accelerate's config (YAML, or JSON in either name): one launch of `accelerate launch`.

Nothing is expanded in it: `${VAR}` stays literal. Source: facts on accelerate a1, a2, b.
"""

from __future__ import annotations

from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.launch import ConfigRef, Launch, Network, Setting
from cfglint.model.tree import Entry, Mapping, Node, Scalar, Sequence, target
from cfglint.model.values import Literal, Unknown
from cfglint.syntax.editing import NodePlace, insert_entry
from cfglint.text import Span

KEYS = {
    "num_machines": "nnodes",
    "machine_rank": "node_rank",
    "num_processes": "num_processes",
    "main_process_ip": "master_addr",
    "main_process_port": "master_port",
    "distributed_type": "distributed_type",
}
# `rdzv_backend` is not among them: its value in a file has no effect (facts on accelerate b1).


def read(document: Document) -> None:
    """Make the launch that the file describes."""
    root = target(document.root) if document.root is not None else None
    if not isinstance(root, Mapping):
        return
    launch = Launch(
        document, _anchor(root), "accelerate", label=document.path, network=Network("unknown")
    )
    launch.complete = not document.problems
    for key, name in KEYS.items():
        entry = root.entry(key)
        if entry is not None and not _is_null(entry.value):
            launch.settings[name] = setting_of(document, root, entry, name)
    section = root.get("deepspeed_config")
    if isinstance(section, Mapping) and is_deepspeed(launch):
        for key, name, role in (
            ("deepspeed_config_file", "", "deepspeed"),
            ("deepspeed_hostfile", "hostfile", "hostfile"),
            ("deepspeed_multinode_launcher", "launcher", ""),
            ("deepspeed_inclusion_filter", "include", ""),
            ("deepspeed_exclusion_filter", "exclude", ""),
        ):
            entry = section.entry(key)
            if entry is None or _is_null(entry.value):
                continue
            setting = setting_of(document, section, entry, name or key)
            if name:
                launch.settings[name] = setting
            text = setting.text
            if role and text and text.lower() != "none":
                reference = ConfigRef(role, text, setting.span, setting)
                launch.configs.append(reference)
                document.links.append(reference)
    launch.setting_writer = lambda name, value: _add(document, root, name, value)
    document.launches.append(launch)


def is_deepspeed(launch: Launch) -> bool:
    """Whether the DeepSpeed section of the file is read at all."""
    kind = launch.get("distributed_type")
    return kind is not None and (kind.text or "").upper() == "DEEPSPEED"


def setting_of(document: Document, mapping: Mapping, entry: Entry, name: str) -> Setting:
    """A setting of a key of a YAML or JSON mapping whose values nothing expands."""
    node = target(entry.value)
    place = NodePlace(document, entry.value, mapping, entry)
    value = Literal(node.text) if isinstance(node, Scalar) else Unknown(_kind(node))
    # An empty value has no extent of its own: the key stands for it.
    span = node.span if node.end > node.start else entry.key.span
    return Setting(name, value, document, span, entry.name or "", entry.key.span, place=place)


def _kind(node: Node) -> str:
    return "a list" if isinstance(node, Sequence) else "a mapping"


def _is_null(node: Node) -> bool:
    node = target(node)
    return isinstance(node, Scalar) and node.value is None


def _anchor(root: Mapping) -> Span:
    """Where a fault of the whole file is shown: the key that says it is for several machines."""
    for key in ("num_machines", "distributed_type"):
        entry = root.entry(key)
        if entry is not None:
            return entry.span
    return root.entries[0].span if root.entries else root.span


def _add(document: Document, root: Mapping, name: str, value: str) -> Edit | None:
    key = next((k for k, n in KEYS.items() if n == name), None)
    if key is None:
        return None
    data: object = int(value) if value.isdigit() else value
    return insert_entry(document, root, key, data, root.entry("num_machines"))
