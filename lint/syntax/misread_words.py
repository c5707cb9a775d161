"""The words of a command that the grammar reads wrongly: `$(((X)) && echo 0 || echo 1)`.

Two brackets behind `$` begin arithmetic, and where nothing closes it so, a command in brackets; the
grammar knows the first only, and takes what follows into one word up to its own way out.
"""

from __future__ import annotations

from cfglint.syntax.shell_scanner import closing

_ENDS = " \t\r\n"


def ranges(text: str, start: int, end: int) -> list[tuple[int, int]] | None:
    """Where the words of a command stand by its quotes and brackets alone; None where no `$((` is
    in it, or a sign outside of them needs the grammar."""
    if text.find("$((", start, end) < 0:
        return None
    found: list[tuple[int, int]] = []
    at = low = start
    while at < end:
        sign = text[at]
        if sign in _ENDS or text.startswith(("\\\n", "\\\r\n"), at):
            if at > low:
                found.append((low, at))
            at += 1 if sign in _ENDS else 2 + text.startswith("\r", at + 1)
            low = at
        elif sign == "'" or sign == '"':
            at = _behind(text, at, end)
        elif sign == "\\":
            at += 2
        elif text.startswith(("$(", "${"), at):
            at = closing(text, at + 1)
        elif sign in "();|&<>`" or (sign == "#" and at == low):
            return None
        else:
            at += 1
        if at > end:
            return None
    if at > low:
        found.append((low, at))
    return found if found and "=" not in text[slice(*found[0])] else None


def _behind(text: str, at: int, end: int) -> int:
    """The index behind a string."""
    quote = text[at]
    at += 1
    while at < end and text[at] != quote:
        if quote == '"' and text.startswith(("$(", "${"), at):
            at = closing(text, at + 1)
        else:
            at += 2 if quote == '"' and text[at] == "\\" else 1
    return at + 1
