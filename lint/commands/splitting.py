"""How a shell splits what a variable holds into words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cfglint.syntax.shell_words import Part, ShellWord, sliced
from cfglint.syntax.shell_write import WordPlace
from cfglint.values import Literal

_MAX_DEPTH = 12  # variables inside variables that are followed


def pieces(word: ShellWord, depth: int = 0) -> list[ShellWord]:
    """A word cut at the blanks of its literal text, and of the variables that stand alone in it."""
    found: list[ShellWord] = []
    kept: list[Part] = []
    for i, part in enumerate(word.parts):
        if not isinstance(part.value, Literal) or part.known:
            assigned = None if kept or depth > 8 else several(part)
            if assigned is not None and _blank_follows(word.parts[i + 1 :]):
                found += pieces(assigned, depth + 1)
            else:
                kept.append(part)
            continue
        text = part.value.text
        for match in _WORD_OR_BLANK.finditer(text):
            if match.group().isspace():
                if kept:
                    found.append(word.piece(kept))
                kept = []
            elif match.span() == (0, len(text)):
                kept.append(part)
            else:
                kept.append(sliced(part, *match.span()))
    if kept:
        found.append(word.piece(kept))
    return found


_WORD_OR_BLANK = re.compile(r"\s+|\S+")
_SPLITS = re.compile(r"\s|\A-[\w-]+=")


def _blank_follows(parts: Sequence[Part]) -> bool:
    if not parts:
        return True
    value = parts[0].value
    return isinstance(value, Literal) and value.text[:1].isspace()


def several(part: Part, depth: int = 0) -> ShellWord | None:
    """The assigned word of an expansion that splits into several words, or holds `--option=value`:
    what says less than the whole of it is written there, and nowhere else."""
    if len(part.sources) != 1 or not isinstance(part.sources[0].place, WordPlace):
        return None
    word = part.sources[0].place.word
    for each in word.parts:
        if isinstance(each.value, Literal) and not each.known:
            if _SPLITS.search(each.value.text):
                return word
        elif each.sources and depth < _MAX_DEPTH and several(each, depth + 1) is not None:
            return word
    return None
