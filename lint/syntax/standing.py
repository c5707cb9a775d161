"""A text that another one holds, written where it stands: a config in a block scalar of YAML, or in
the strings of a notebook's cell.

Each character takes the place of the first that stands for it, each line break the place of the
file's own, so that spans of the text are spans of the file. All that does not belong to the text is
blank. It is shifted to the right as a whole, which neither YAML nor JSON minds.
"""

from __future__ import annotations

from cfglint.model.fragment import Fragment
from cfglint.text import SourceText


def standing(
    fragment: Fragment, start: int, text: str, source: SourceText
) -> tuple[int, str, int] | None:
    """Where a text stands that begins at an index of a fragment, what stands there, and how far it
    is shifted; None where its lines do not stand one below the other, each as it is."""
    text = text.rstrip("\n")  # the last line's break may be an escape with nothing behind it
    if not text.strip():
        return None
    low = fragment.offset(start)
    shift: int | None = None
    found: list[str] = []
    at, column, is_open = low, 0, False
    for index, sign in enumerate(text):
        place = fragment.offset(start + index)
        after = fragment.offset(start + index + 1)
        width = min(after - place, 2)
        if sign == "\n":
            place = source.text.find("\n", place, max(after, place + 2))
            if place < 0:
                return None  # an escape, with the next line behind it
            column, is_open = 0, False
        else:
            if sign == '"' and source.text[place] == "\\":
                place += width - 1 if not is_open else 0  # no blank gets between the quotes
                is_open = not is_open
            elif source.text[place] != sign or (sign == "\\" and width > 1):
                return None  # an escape
            if sign != " " and column >= 0:
                begin = source.position(fragment.offset(start + index - column))[1] - 1
                if shift is not None and begin != shift:
                    return None
                shift, column = begin, -1
            column += column >= 0
        found.append(" " * (place - at) + sign)
        at = place + 1
    whole = "".join(found)
    if whole.count("\n") != source.text.count("\n", low, at):
        return None  # folded
    return low, whole, shift or 0
