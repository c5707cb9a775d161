"""Here-documents in a shell text by its lines alone, for what comes before the text is parsed."""

from __future__ import annotations

from cfglint.patterns import lazy

# No here-string, and no shift of a number as in $((1 << 4)).
_OPENS = lazy(r"(?<!<)<<(?!<)(-?)[ \t]*(?:\\?([A-Za-z_][\w.-]*)|'([^'\n]+)'|\"([^\"\n]+)\")")


def outside(text: str) -> str:
    """A shell text without the bodies of its here-documents.

    What looks like the start of one and is never closed is none.
    """
    if "<<" not in text:
        return text
    lines = text.splitlines()
    kept: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        kept.append(line)
        at += 1
        if "<<" not in line or line.lstrip().startswith("#"):
            continue
        for found in _OPENS.finditer(line):
            delimiter = found[2] or found[3] or found[4]
            for end in range(at, len(lines)):
                last = lines[end].lstrip("\t") if found[1] else lines[end]
                if last == delimiter:
                    at = end + 1
                    break
    return "\n".join(kept)
