"""How a YAML scalar is written: from the text it means back to the file, and forth.

`fragment` gives the text of a scalar with a way back for each code point (a shell command in a
folded block, an address in double quotes). `write` spells a value in a given style.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from cfglint.model.document import Document
from cfglint.model.fragment import Fragment
from cfglint.model.scalars import implicit_tag, resolve
from cfglint.model.tree import Node, Path, Scalar, path_of
from cfglint.text import SourceText

_ESCAPES = {
    "0": 0, "a": 7, "b": 8, "t": 9, "\t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "e": 27, " ": 32,
    '"': 34, "/": 47, "\\": 92, "N": 0x85, "_": 0xA0, "L": 0x2028, "P": 0x2029,
}  # fmt: skip
_HEX = {"x": 2, "u": 4, "U": 8}
# YAML 1.1 counts three more line breaks than editors (and cfglint.text) do.
_BREAK = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")
_BREAKS = "\r\n\x85\u2028\u2029"
_BLANK = " \t" + _BREAKS


def _start(node: Node) -> int:
    return node.start


def data_path(document: Document, node: Any) -> Path | None:
    """The path of a node in the file's data, the number of its YAML document first."""
    roots = document.roots
    behind = bisect_right(roots, node.start, key=_start)
    for number in range(behind - 1, -1, -1):  # the last that begins before it is the nearest
        path = path_of(roots[number], node)
        if path is not None:
            return (number, *path)
    return None


def fragment(document: Document, node: Scalar) -> Fragment | None:
    """The text of a scalar, tied to its place; None where the two cannot be matched."""
    source = document.source
    offsets = scalar_offsets(source, node)
    if offsets is None:
        return None
    return Fragment(
        document.path,
        node.text,
        offsets=offsets,
        encode=_encoder(source, node),
        data_path=data_path(document, node),
    )


def scalar_offsets(source: SourceText, node: Scalar) -> list[int] | None:
    """The offset of each code point of a scalar's text, and of its end; None if they disagree."""
    text, cooked = source.text, node.text
    if not cooked:
        return [node.end - len(node.style) if node.style in ("'", '"') else node.end]
    if node.style == "" and text.startswith(cooked, node.start):
        return list(range(node.start, node.start + len(cooked) + 1))
    if node.style in ("", "'", '"'):
        quoted = len(node.style)
        return _flow(text, node.start + quoted, node.end - quoted, cooked, node.style)
    header = _BREAK.search(text, node.start)
    if header is None:
        return None
    return _block(text, header.end(), node.end, cooked, node.style == ">")


def _flow(text: str, at: int, end: int, cooked: str, quote: str) -> list[int] | None:
    """Offsets in a plain or quoted scalar: a break and the blanks around it fold to one blank,
    further breaks stay; double quotes have escapes, single ones are doubled."""
    offsets: list[int] = []
    i = 0
    while i < len(cooked):
        if quote == '"' and text.startswith("\\", at):
            sign = text[at + 1 : at + 2]
            if sign and sign in _BREAKS:
                at += 2
                while at < end and text[at] in _BLANK:
                    at += 1
                continue
            width = _HEX.get(sign, 0)
            code = int(text[at + 2 : at + 2 + width], 16) if width else _ESCAPES.get(sign, -1)
            if code != ord(cooked[i]):
                return None
            offsets.append(at)
            at += 2 + width
            i += 1
            continue
        stop = at
        while stop < end and text[stop] in _BLANK:
            stop += 1
        breaks = _BREAK.findall(text, at, stop)
        if breaks:
            folded = _fold(breaks)
            if not cooked.startswith(folded, i):
                return None
            offsets.extend([at] * len(folded))
            at, i = stop, i + len(folded)
            continue
        if text[at : at + 1] != cooked[i] or at >= end:
            return None
        offsets.append(at)
        at += 2 if quote == "'" and cooked[i] == "'" else 1
        i += 1
    offsets.append(min(at, end))
    return offsets


def _fold(breaks: list[str]) -> str:
    """What the line breaks between two words of a plain or quoted scalar stand for."""
    kept = [one if one in ("\u2028", "\u2029") else "\n" for one in breaks]
    if kept[0] != "\n":
        return "".join(kept)
    return "".join(kept[1:]) or " "


def _block(text: str, at: int, end: int, cooked: str, folded: bool) -> list[int] | None:
    """Offsets in a literal or folded block, whose lines share an indentation."""
    indent = _block_indent(text, at, end, cooked)
    offsets: list[int] = []
    i = 0
    at = _skip_indent(text, at, indent)
    while i < len(cooked):
        match = _BREAK.match(text, at)
        if match is None:
            if text[at : at + 1] != cooked[i]:
                return None
            offsets.append(at)
            at, i = at + 1, i + 1
            continue
        starts: list[int] = []
        while match is not None:
            starts.append(match.start())
            at = _skip_indent(text, match.end(), indent)
            match = _BREAK.match(text, at)
        breaks, count = len(starts), 0
        while count < breaks and i + count < len(cooked) and cooked[i + count] in "\n\u2028\u2029":
            count += 1
        if count == 0:
            if not (folded and breaks == 1 and cooked[i] == " "):
                return None
            count = 1
        offsets.extend(starts if count == breaks else starts[:1] * count)
        i += count
    offsets.append(min(at, max(end, offsets[-1] if offsets else at)))
    return offsets


def _block_indent(text: str, at: int, end: int, cooked: str) -> int:
    """The indentation of a block: where its first line that is not blank begins in the text."""
    first = next((line for line in _BREAK.split(cooked) if line.strip()), "")
    for raw in _BREAK.split(text[at : max(end, at)]):
        if raw.strip():
            return len(raw) - len(raw.lstrip(" ")) - (len(first) - len(first.lstrip(" ")))
    return 0


def _skip_indent(text: str, at: int, indent: int) -> int:
    stop = at
    while stop - at < indent and text[stop : stop + 1] == " ":
        stop += 1
    return stop


def _encoder(source: SourceText, node: Scalar) -> Callable[[str], str | None]:
    if node.style == '"':
        return _escape
    if node.style == "'":
        return lambda new: None if _has_break(new) else new.replace("'", "''")
    if node.style == "|":
        header = _BREAK.search(source.text, node.start)
        begin = header.end() if header else node.end
        indent = " " * _block_indent(source.text, begin, node.end, node.text)
        return lambda new: new.replace("\n", source.newline + indent)
    return lambda new: None if _has_break(new) else new


def _has_break(text: str) -> bool:
    return _BREAK.search(text) is not None


_PLAIN_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escape(text: str) -> str:
    """Text for between double quotes; what is not printable is spelled by its number."""
    if text.isprintable() and not set(text) & _PLAIN_ESCAPES.keys():
        return text
    return "".join(_PLAIN_ESCAPES.get(c) or (c if c.isprintable() else _numbered(c)) for c in text)


def _numbered(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def write(value: Any, style: str = "", flow: bool = False) -> str:
    """A scalar value as YAML text; a string keeps `style` where that is a quote.

    A string that YAML 1.1 reads as another type, or that no plain scalar can hold, is quoted.
    """
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, int):
        return repr(value)
    text = str(value)
    if style == '"':
        return f'"{_escape(text)}"'
    if style == "'" and not _has_break(text):
        return "'" + text.replace("'", "''") + "'"
    if is_plain(text, flow):
        return text
    return f'"{_escape(text)}"'


def _float(value: float) -> str:
    """YAML 1.1 wants a point in a number with an exponent, and has words for what is no number."""
    text = repr(value)
    if text.lstrip("-") in ("inf", "nan"):
        return f"{text[:-3]}.{text[-3:]}"
    mantissa, sign, exponent = text.partition("e")
    if sign and "." not in mantissa:
        return f"{mantissa}.0e{exponent}"
    return text


# What later YAML versions or other readers take for a number or a flag, though PyYAML does not.
_ELSEWHERE = re.compile(
    r"[-+]?(?:[0-9][0-9_]*\.?[0-9]*[eE][-+]?[0-9]+|\.[0-9]+(?:[eE][-+]?[0-9]+)?|0o[0-7]+)|[yYnN]"
)


def is_plain(text: str, flow: bool = False) -> bool:
    """Whether a string may stand without quotes and stays this string."""
    if not text or text != text.strip() or _has_break(text) or not text.isprintable():
        return False
    if text[0] in "!&*?|>@`\"'#%{}[],~" or text.startswith(("- ", "-\t", ": ", "---", "...")):
        return False
    if (
        text in ("-", ":", "?")
        or text.startswith("? ")
        or ": " in text
        or " #" in text
        or text.endswith(":")
    ):
        return False
    if flow and (text[0] in "?:" or any(sign in text for sign in ",[]{}")):
        return False
    return _ELSEWHERE.fullmatch(text) is None and implicit_tag(text) == "tag:yaml.org,2002:str"


def same_type(node: Scalar, text: str) -> Any:
    """The value that `text` would have in the place of a scalar, in its style."""
    return resolve(Scalar(0, 0, text, node.style, node.tag))
