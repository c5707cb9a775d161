"""The words of a simple command, found without the grammar.

Most commands hold nothing but names, options, quoted strings and plain `$NAME`s, one behind the
other. Where these words end one expression tells, in a small part of the time that it takes to ask
the nodes of the tree. Any other sign (a redirection, a bracket, `$(`, a comment) is the grammar's.
"""

from __future__ import annotations

import re

# What pieces of words may be, blanks between words last. A sign outside of these matches nothing.
# A name in a string ends where it must: one way only to read what no quote closes.
_PIECE = re.compile(
    r"[\w./:@%+,=^-]+|\$(?:\w+|\{\w+\})"
    r"|'[^']*'"
    r'|"[^"\\$`]*(?:\$(?:\w+(?!\w)|\{\w+\})[^"\\$`]*)*"'
    r"|(?P<blank>[ \t]+(?:\\\n[ \t]*)*|\\\n[ \t]+)"
)
_ASSIGNS = re.compile(r"[^\s'\"$]*=")  # what the grammar may take for an assignment in front


def ranges(text: str, start: int, end: int) -> list[tuple[int, int]] | None:
    """Where the words of a command stand; None where its grammar has to be asked."""
    if _ASSIGNS.match(text, start, end) is not None:
        return None
    found: list[tuple[int, int]] = []
    at = low = start
    piece = _PIECE.match
    while at < end:
        match = piece(text, at, end)
        if match is None:
            return None
        if match.lastgroup is not None:
            if at == low:
                return None
            found.append((low, at))
            at = low = match.end()
        else:
            at = match.end()
    if at > low:
        found.append((low, at))
    return found or None
