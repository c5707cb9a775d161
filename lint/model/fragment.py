"""A text inside a file: a shell command in a YAML value, the body of a RUN line, a whole script.

The text a shell sees is not always the text that stands in the file (escapes, folded blocks,
interpolation's `$$`). A fragment knows both: `text` is what is parsed, `span` leads back to the
file, `edit` writes back with the file's own quoting and declares what that changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from cfglint.model.edit import Edit, Set, Splice
from cfglint.model.tree import Path
from cfglint.text import Span


class Item(Protocol):
    """An item of an argument list, whose text a fragment is."""

    def remove(self, last: Item | None = None) -> Edit | None:
        """The edit that takes the item, or those up to `last`, out of the list; None for no way."""

    def insert_behind(self, texts: Sequence[str]) -> Edit | None:
        """The edit that puts items behind it, None where it cannot be."""


class Fragment:
    """`text`, with the file offset of each of its code points.

    `offsets` holds one offset per code point plus the end; None means `base + index`. `encode`
    turns new text into what stands in the file at that place, or None where it cannot be written
    there. `path` is the file's report path. `data_path` is where the text stands in the file's data
    (its whole value is then declared changed), None for token-stream files. `item` is the list's
    item that the whole text is, where it is one.
    """

    __slots__ = ("base", "data_path", "encode", "item", "offsets", "path", "text", "to_data")

    def __init__(
        self,
        path: str,
        text: str,
        base: int = 0,
        offsets: Sequence[int] | None = None,
        encode: Callable[[str], str | None] | None = None,
        data_path: Path | None = None,
        to_data: Callable[[str], str] | None = None,
    ) -> None:
        self.path = path
        self.text = text
        self.base = base
        self.offsets = offsets
        self.encode = encode
        self.data_path = data_path
        self.to_data = to_data
        self.item: Item | None = None

    def offset(self, index: int) -> int:
        """The file offset of a code point of the text (or of its end)."""
        if self.offsets is None:
            return self.base + index
        return self.offsets[min(index, len(self.offsets) - 1)]

    def span(self, start: int, end: int) -> Span:
        """The file's span of a range of the text."""
        if self.offsets is None:
            return Span(self.base + start, self.base + end)
        if end <= start:
            return Span(self.offset(start), self.offset(start))
        # The end of the last code point, not the start of the next: an escape or a line's
        # indentation may lie between them.
        last = self.offsets[end - 1]
        following = self.offset(end)
        return Span(self.offset(start), following if following - last <= 6 else last + 1)

    def edit(self, start: int, end: int, new: str) -> Edit | None:
        """The edit that replaces a range of the text, None where the file cannot say it."""
        written = self.encode(new) if self.encode else new
        if written is None:
            return None
        changes: tuple[Set | Splice, ...] = ()
        if self.data_path is not None and self.to_data is not None:
            whole = self.text[:start] + new + self.text[end:]
            changes = (Set(self.data_path, self.to_data(whole)),)
        elif self.data_path is not None:
            changes = (Splice(self.data_path, start, end, new),)
        span = self.span(start, end)
        if self.offsets is not None and start < end < len(self.text) and self.text[end - 1] == "\n":
            # A line that goes takes the indentation of the next one along, as its own stays.
            span = Span(span.start, self.offset(end))
        return Edit(self.path, span, written, changes)
