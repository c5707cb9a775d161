"""Lists of a Dockerfile's CMD, ENTRYPOINT or RUN that were meant for JSON and are none.

The builder takes such a line for a shell's command, and says nothing. Source: BuildKit,
frontend/dockerfile/parser (`parseMaybeJSON`): strings in double quotes, commas between them alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from cfglint.patterns import lazy
from cfglint.record import dataclass
from cfglint.syntax.dockerfile import Dockerfile, Instruction
from cfglint.syntax.dockerfile_words import blanks_end
from cfglint.text import Span

_BEGIN = lazy(r"\[\s*[\"'\u201c\u2018\u201d]")
_STRING = r"(?:'[^'\"\\]*'|\"(?:[^\"\\]|\\.)*\"|[\u201c\u201d][^\"\\\u201c\u201d]*[\u201c\u201d])"
_LIST = lazy(rf"\[\s*{_STRING}(?:\s*,\s*{_STRING})*\s*,?\s*\]")
_ITEM = lazy(_STRING)


@dataclass(frozen=True, slots=True)
class NoList:
    """A list that is no JSON: where it stands, its first word as the shell gets it, and what was
    meant, "" where that is not plain."""

    span: Span
    program: str
    meant: str


def wrong_lists(file: Dockerfile) -> Iterator[NoList]:
    """The lists that the builder does not take for such."""
    for instruction in file.instructions:
        if instruction.name in ("CMD", "ENTRYPOINT", "RUN") and "[" in instruction.text:
            found = _wrong(instruction)
            if found is not None:
                yield found


def _wrong(instruction: Instruction) -> NoList | None:
    text = instruction.text
    at = blanks_end(text, instruction.start)
    if not _BEGIN.match(text, at) or instruction.json() is not None:
        return None
    end = len(text.rstrip())
    listed = _LIST.fullmatch(text, at, end)
    items = [item.group() for item in _ITEM.finditer(text, at, end)] if listed else []
    plain = items and "$" not in text and instruction.offsets is None
    meant = ", ".join(one if one[0] == '"' else json.dumps(one[1:-1]) for one in items)
    return NoList(instruction.span(at, end), text[at:end].split()[0], f"[{meant}]" if plain else "")
