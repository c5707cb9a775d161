"""How a shell splits what a variable holds into words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cfglint.model.values import Literal
from cfglint.syntax.shell_words import Part, ShellWord, sliced
from cfglint.syntax.shell_write import WordPlace

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


def put_in(word: ShellWord) -> list[ShellWord]:
    """The words of what was put into the text before its shell read it, where it is all of a word:
    an outer shell's value in `bash -c "... $1"`."""
    part = word.parts[0]
    text = part.value.text if isinstance(part.value, Literal) and not part.quote else ""
    if not _BLANK.search(text) or _READ.search(text):
        return [word]
    items = (sliced(part, *match.span()) for match in _ITEM.finditer(text))
    return [word.of((item,), word.start, word.end) for item in items]


_BLANK, _ITEM = re.compile(r"\s"), re.compile(r"\S+")
_READ = re.compile(r"[\"'\\`$;&|<>()#\n]")  # signs that the shell would take for its own
_WORD_OR_BLANK = re.compile(r"\s+|\S+")
_SPLITS = re.compile(r"\s|\A-[\w-]+=")


def _blank_follows(parts: Sequence[Part]) -> bool:
    if not parts:
        return True
    value = parts[0].value
    return isinstance(value, Literal) and value.text[:1].isspace()


_BRACES = re.compile(r"([^{}]*)\{([^{}\s]*)\}([^{}]*)")
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?")
_MANY = 256


def braced(text: str) -> list[str] | None:
    """The words that bash makes of `node{1..3}` or `{a,b}`; None where they are not known."""
    if "{" not in text or not ("," in text or ".." in text):
        return [text]
    whole = _BRACES.fullmatch(text)
    if whole is None:
        return None
    before, inner, after = whole.groups()
    items = inner.split(",")
    span = _RANGE.fullmatch(inner)
    if span is not None:
        first, last, step = int(span[1]), int(span[2]), abs(int(span[3] or 1)) or 1
        if abs(last - first) // step >= _MANY:
            return None
        padded = any(end.lstrip("-").startswith("0") and len(end) > 1 for end in span.groups()[:2])
        width = max(len(span[1]), len(span[2])) if padded else 0
        down = -1 if last < first else 1
        items = [str(n).zfill(width) for n in range(first, last + down, step * down)]
    elif ".." in inner and "," not in inner:
        return None
    return [before + item + after for item in items]


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
