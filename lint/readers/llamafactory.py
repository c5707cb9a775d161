"""LLaMA-Factory's YAML: what it trains, and the files it names.

The file does not start anything (its launcher's settings come from the environment), so it makes
links and no launch. Source: facts on LLaMA-Factory a, c.
"""

from __future__ import annotations

from cfglint.model.document import Document
from cfglint.model.launch import ConfigRef
from cfglint.model.tree import Mapping, target
from cfglint.readers.accelerate import setting_of


def read(document: Document) -> None:
    """Note the DeepSpeed file and the dataset folder that the file names."""
    root = target(document.root) if document.root is not None else None
    if not isinstance(root, Mapping):
        return
    for key, role in (("deepspeed", "deepspeed"), ("dataset_dir", "dataset_info")):
        entry = root.entry(key)
        if entry is None:
            continue
        if role == "deepspeed" and isinstance(target(entry.value), Mapping):
            document.holds = "deepspeed"
        setting = setting_of(document, root, entry, key)
        if setting.text and setting.text.lower() not in ("null", "none", "~"):
            path = setting.text
            if role == "dataset_info":
                path = path.rstrip("/") + "/dataset_info.json"
            document.links.append(ConfigRef(role, path, setting.span, setting))
