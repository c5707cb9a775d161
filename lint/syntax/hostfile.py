"""DeepSpeed hostfiles: `worker-1 slots=8`, one host a line.

Source: DeepSpeed `launcher/runner.py`, `_parse_hostfile`: a line is stripped; blank ones and those
that begin with `#` are skipped; the rest must begin with `HOST slots=NUMBER`, what follows is not
looked at.
"""

from __future__ import annotations

import re

from cfglint.record import dataclass, field
from cfglint.text import SourceText, Span

_ENTRY = re.compile(r"(\S+)\s+slots=([0-9]+)")


@dataclass(frozen=True, slots=True)
class Host:
    """An entry: a name or address and how many processes it takes."""

    name: str
    span: Span
    slots: int
    slots_span: Span


@dataclass(slots=True)
class Hostfile:
    """The hosts in their order, and the lines (without their breaks) that DeepSpeed refuses."""

    source: SourceText
    hosts: list[Host] = field(default_factory=list)
    bad: list[Span] = field(default_factory=list)


def parse(source: SourceText) -> Hostfile:
    """The entries of a hostfile."""
    result = Hostfile(source)
    for number in range(1, len(source.line_starts) + 1):
        line = source.line_span(number)
        text = source.slice(line)
        stripped = text.strip()
        if not stripped or stripped[0] == "#":
            continue
        start = line.start + len(text) - len(text.lstrip())
        match = _ENTRY.match(stripped)
        if match is None:
            result.bad.append(Span(start, start + len(stripped)))
            continue
        name, slots = (Span(start + match.start(i), start + match.end(i)) for i in (1, 2))
        result.hosts.append(Host(match[1], name, int(match[2]), slots))
    return result
