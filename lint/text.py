"""A file's text: decoding, offsets, lines, and writing it back byte for byte.

Offsets count Unicode code points of `SourceText.text`, which never holds a byte order mark.
Lines and columns (from 1) exist only for reports. A line ends at LF, CRLF or a lone CR, as in
the editors that jump to it; other Unicode separators do not end a line.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections import Counter
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

LINE_BREAK = re.compile(r"\r\n|\n|\r")


class Span(NamedTuple):
    """A half-open range of code points in a file's text."""

    start: int
    end: int


class UnreadableError(Exception):
    """Bytes that are not text. `line` and `column` (from 1) say where, `reason` says why."""

    def __init__(self, reason: str, line: int = 1, column: int = 1) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


@lru_cache(maxsize=8)  # asked for each variable that a file sets
def name_counts(text: str) -> Counter[str]:
    """How often each name stands in a text; an escape's letter (`\\n` in JSON) is none of it."""
    return Counter(re.findall(r"\w+", re.sub(r"\\[a-z]", " ", text)))


class SourceText:
    """The decoded text of one file, and what is needed to encode it again unchanged."""

    __slots__ = ("_starts", "bom", "encoding", "text")

    def __init__(self, text: str, encoding: str = "utf-8", bom: bytes = b"") -> None:
        self.text = text
        self.encoding = encoding
        self.bom = bom
        self._starts: list[int] | None = None

    @property
    def newline(self) -> str:
        """The line break that new lines take: the first one the file uses, else LF."""
        match = LINE_BREAK.search(self.text)
        return match.group() if match else "\n"

    @property
    def line_starts(self) -> list[int]:
        """The offset at which each line begins."""
        if self._starts is None:
            if "\r" in self.text:
                self._starts = [0, *(m.end() for m in LINE_BREAK.finditer(self.text))]
            else:
                sizes = map(len, self.text.split("\n"))
                ends = accumulate(size + 1 for size in sizes)
                self._starts = [0, *ends][:-1]
        return self._starts

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column (from 1) of an offset."""
        starts = self.line_starts
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def offset(self, line: int, column: int = 1) -> int:
        """The offset of a line and column (from 1), kept inside the text."""
        starts = self.line_starts
        line = min(max(line, 1), len(starts))
        return min(starts[line - 1] + column - 1, len(self.text))

    def line_span(self, line: int) -> Span:
        """The span of a line (from 1) without its line break."""
        starts = self.line_starts
        start = starts[line - 1]
        if line == len(starts):
            return Span(start, len(self.text))
        end = starts[line]
        end -= 2 if self.text.endswith("\r\n", start, end) else 1
        return Span(start, end)

    def line_of(self, offset: int) -> Span:
        """The span of the line that holds an offset, without its line break."""
        return self.line_span(self.position(offset)[0])

    def line_end_after(self, offset: int) -> int:
        """The offset behind the line break that ends the line of `offset` (or the text's end)."""
        match = LINE_BREAK.search(self.text, offset)
        return match.end() if match else len(self.text)

    def slice(self, span: tuple[int, int]) -> str:
        """The text of a span."""
        return self.text[span[0] : span[1]]

    def encode(self, text: str) -> bytes:
        """Bytes of `text` in this file's encoding, with its byte order mark."""
        return self.bom + text.encode(self.encoding)


_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decode(data: bytes) -> SourceText:
    """Text of a file's bytes: UTF-8, or UTF-16 with a byte order mark.

    Raises UnreadableError for other encodings and for NUL characters.
    """
    mark, encoding = next(((b, e) for b, e in _BOMS if data.startswith(b)), (b"", "utf-8"))
    bom = mark
    while mark and data.startswith(mark, len(bom)):
        bom += mark  # tools that each add one; the parsers skip them and do not count them
    try:
        text = data[len(bom) :].decode(encoding)
    except UnicodeDecodeError as problem:
        before = data[len(bom) : len(bom) + problem.start].decode(encoding, "replace")
        line, column = SourceText(before).position(len(before))
        byte = data[len(bom) + problem.start]
        raise UnreadableError(
            f"byte 0x{byte:02x} is not {encoding.upper()} text", line, column
        ) from None
    nul = text.find("\0")
    if nul >= 0:
        line, column = SourceText(text).position(nul)
        raise UnreadableError("a NUL character: this is not a text file", line, column)
    return SourceText(text, encoding, bom)
