"""What a copy of LLaMA-Factory that lies in the tree takes beyond the releases.

Forks keep the package in src/ beside their configs, or in a clone inside their own tree, and add
keys, templates and choices to it; a run from that tree reads the fork's code. Only the text is
searched: whatever its argument classes or tables name is taken.
"""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.project import Project

_SOURCES_OF = ("src/llamafactory", "src/llmtuner")
_CLONES = ("LLaMA-Factory", "LlamaFactory", "LLaMA-Factory-main", "llama-factory", "llamafactory")
PLACES = (*_SOURCES_OF, *(f"{clone}/{place}" for clone in _CLONES for place in _SOURCES_OF))
SOURCES = ("hparams/*.py", "v1/config/*.py", "data/*.py", "train/tuner.py")
SOURCE_BYTES = 400_000


def takes_key(document: Document, project: Project, name: str) -> bool:
    """Whether the copy's argument classes have a field of this name, or its code takes the key out
    before these are filled (`args.pop("name", None)`)."""
    key = re.escape(name)
    taken = re.compile(rf"^[ \t]+{key}[ \t]*:|\.pop\(\s*[\"']{key}[\"']", re.M)
    return taken.search(_text(document, project)) is not None


def is_there(document: Document, project: Project) -> bool:
    """Whether a copy lies in the tree: it may be of any age, and read tables in its own way."""
    return bool(_text(document, project))


def names_value(document: Document, project: Project, value: object) -> bool:
    """Whether the copy spells a value out as a string."""
    if not isinstance(value, str):
        return False
    text = _text(document, project)
    return f'"{value}"' in text or f"'{value}'" in text


def _text(document: Document, project: Project) -> str:
    """The sources of the nearest copy, "" where there is none."""
    for place in PLACES:
        for folder in project.candidates(document, place):
            text: str = project.fact(("vendored", str(folder)), partial(_read, folder))
            if text:
                return text
    return ""


def _read(folder: Path) -> str:
    if not os.path.isdir(folder):
        return ""
    files = sorted(file for glob in SOURCES for file in folder.glob(glob))
    parts = []
    for file in files:
        try:
            with file.open("rb") as source:
                parts.append(source.read(SOURCE_BYTES).decode("utf-8", "replace"))
        except OSError:
            continue
    return "\n".join(parts)
