"""Lines of a hostfile that DeepSpeed refuses, and what they were meant to be."""

from __future__ import annotations

import re

from cfglint.patterns import lazy
from cfglint.spelling import near

PORTLIKE = lazy(r"([^\s:]+):(\d+)$")
MISSPELT = lazy(r"(\S+)\s+([A-Za-z]+)\s*[=:]\s*(\d+.*)")
SPACED = lazy(r"(\S+)\s+(?:slots\s*[=:]\s*|slots\s+|gpus\s*=\s*|)(\d+)(\s.*)?$", re.I)


def meant(text: str) -> str | None:
    """A refused line in the form `host slots=N`, None where no number of slots stands in it."""
    word = MISSPELT.match(text)
    if word is not None and near(word[2].lower(), ("slots",)):
        text = f"{word[1]} slots={word[3]}"
    found = PORTLIKE.match(text) or SPACED.match(text)
    if found is None:
        return None
    return f"{found[1]} slots={found[2]}" + (found[3] or "" if len(found.groups()) > 2 else "")
