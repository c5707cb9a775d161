"""DeepSpeed's JSON: no launch of its own; who reads it is a question for the project."""

from __future__ import annotations

from cfglint.model.document import Document


def read(document: Document) -> None:
    """A DeepSpeed file starts nothing: its rules look at the tree."""
