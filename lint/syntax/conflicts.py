"""Conflict markers that an unfinished merge has left in a text (SYN011; SYN002 and SYN003 where a
YAML or JSON file does not parse)."""

from __future__ import annotations

import re

from cfglint.model.document import Document, Problem
from cfglint.patterns import lazy
from cfglint.text import Span

MESSAGE = "a conflict marker of an unfinished merge"
_MEND = "Finish the merge: keep one side and remove the markers."
_MARKER = lazy(r"^(<{7}|={7}|>{7})(?= |\r?$)[^\n\r]*", re.M)
_WHOLE = lazy(r"^<{7} [^\n\r]*(?=[\s\S]*?^={7}\r?$[\s\S]*?^>{7} )", re.M)
# What else stops at a marker says so in its own words: a Dockerfile, a hostfile.
_LINES = frozenset(("script", "slurm", "makefile", "justfile", "dotenv", "deepspeed-env"))
_TREES = ("SYN002", "SYN003")


def tell(document: Document) -> bool:
    """Add the first marker to a document's problems, in place of what a parser stopped at. True
    where neither side is to be read, since nothing says which of them is meant."""
    text = document.source.text
    if document.kind in _LINES:
        found = _WHOLE.search(text) if "<<<<<<< " in text else None
        if found is not None:
            document.problems.append(Problem("SYN011", MESSAGE, Span(*found.span())))
        return found is not None
    for problem in document.problems:
        marker = _MARKER.search(text) if problem.code in _TREES else None
        if marker is not None:
            problem.message, problem.span = MESSAGE, Span(*marker.span())
            problem.detail["unmerged"] = _MEND
    return False
