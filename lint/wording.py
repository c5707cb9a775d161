"""How what people read puts things: numbers of things, and text from files."""

from __future__ import annotations

import re
from functools import cache

_COMMAND = r"(?m)^(\s*)::(?=[A-Za-z-]+[^\n]*::)"
# C0 but tab and line feed, C1, what turns or hides text, line separators, lone surrogates, tags.
_RANGES = (
    (0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0x61C, 0x61C), (0x200B, 0x200F), (0x2028, 0x202E),
    (0x2060, 0x206F), (0xD800, 0xDFFF), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB), (0xFFFE, 0xFFFF),
    (0xE0000, 0xE007F),
)  # fmt: skip


def _spelled(code: int) -> str:
    if code < 0x10000:
        return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
    return f"\\U{code:08x}"


@cache
def control() -> dict[int, str]:
    """The characters that are not shown as they are, by their codes, with what is."""
    codes = (code for low, high in _RANGES for code in range(low, high + 1))
    return {code: _spelled(code) for code in codes if not 0xD800 <= code <= 0xDFFF}


def many(count: int, word: str, plural: str = "") -> str:
    """A number of things: "1 file", "2 files"; `plural` where that is not the word with an s."""
    return f"{count} {word if count == 1 else plural or word + 's'}"


def visible(text: str) -> str:
    """The text with control characters and invisible direction marks spelled out.

    Also broken is what CI logs obey: `##[` and `##vso[` anywhere, `::name::` at a line's start.
    """
    if not text.isascii():
        text = text.translate(control())
        text = "".join(_spelled(ord(c)) if "\ud800" <= c <= "\udfff" else c for c in text)
    elif not text.isprintable():
        text = text.translate(control())
    if "##" in text:
        for sign in ("##[", "##vso[", "##teamcity["):
            text = text.replace(sign, "#\\x23" + sign[2:])
    if "::" in text:
        text = re.sub(_COMMAND, r"\1:\\x3a", text)
    return text
