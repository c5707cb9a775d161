"""DeepSpeed hostfiles: the machines of a job, for the launches that name one."""

from __future__ import annotations

from cfglint.model.document import Document
from cfglint.syntax.hostfile import parse


def read(document: Document) -> None:
    """Parse the hosts. The rule on the file's grammar and the project look at the tree."""
    document.tree = parse(document.source)
