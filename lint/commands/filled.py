"""What a here-document becomes, with every line and value where it stands in the script.

What the shell expands is written over the expansion, and blanks make up for what is shorter: behind
the value, or behind the quotes that it stands in, where neither YAML nor JSON minds them.
"""

from __future__ import annotations

from cfglint.model.fragment import Fragment
from cfglint.model.launch import Written
from cfglint.model.values import Alternatives, literal
from cfglint.syntax.shell_words import ShellWord
from cfglint.syntax.standing import standing
from cfglint.text import SourceText, Span


def as_file(bodies: list[ShellWord], name: str) -> Written | None:
    """The text that the file called `name` has, by its one body; None where nothing writes it.

    Its text is "" where it is not known: one of several, or with something in it that is not known.
    """
    if not bodies:
        return None
    body = bodies[0]
    unknown = Written(Span(0, 0), "", name)
    if len(bodies) > 1 or not body.parts:
        return unknown
    start, end = body.parts[0].start, body.parts[-1].end
    text = filled(body)
    if text is None or len(text) != end - start:
        return unknown
    if body.fragment.offsets is None:
        return Written(body.fragment.span(start, end), text, name)
    return held(body.fragment, start, text, name, body.document.source) or unknown


def held(
    fragment: Fragment, start: int, text: str, name: str, source: SourceText
) -> Written | None:
    """A file whose text another file spells in its own way, from an index of a fragment on."""
    found = standing(fragment, start, text, source)
    if found is None:
        return None
    low, whole, shift = found
    return Written(Span(low, low + len(whole)), whole, name, fragment, start, shift)


def filled(body: ShellWord) -> str | None:
    """A here-document's text as long as it stands there, None where it cannot be told."""
    source = body.fragment.text
    line = _Line()
    at = body.parts[0].start
    for part in body.parts:
        value = literal(part.value)
        if value is None and isinstance(part.value, Alternatives):
            value = literal(part.value.options[0])  # what holds in one of the turns or branches
        if value is None or part.start != at:
            return None
        at = part.end
        raw = source[part.start : part.end]
        if value == raw:
            line.copy(value)
        elif "\n" in value or "\n" in raw:
            return None
        else:
            line.put(value, len(raw))
    line.end()
    return None if line.failed else line.text


class _Line:
    """A text that grows, and how many characters of the line at hand it is short of."""

    def __init__(self) -> None:
        self.text = ""
        self.short = 0
        self.quote = ""
        self.failed = False

    def put(self, value: str, size: int) -> None:
        """A value in the place of `size` characters."""
        self.text += value
        self.short += size - len(value)
        self.failed |= len(value) > size or '"' in value or "'" in value
        self._settle()

    def copy(self, text: str) -> None:
        """Text that stays as it is."""
        if "\n" in text:
            head, _, text = text.rpartition("\n")
            first, _, rest = f"{head}\n".partition("\n")
            self._signs(first)
            self.end()
            self.text += f"\n{rest}"
        self._signs(text)

    def _signs(self, text: str) -> None:
        for sign in text:
            self.text += sign
            if sign in ("'", '"') and self.quote in ("", sign):
                self.quote = "" if self.quote else sign
                self._settle()

    def end(self) -> None:
        """The end of a line, by which everything has to be in its place."""
        self._settle()
        self.failed |= self.short > 0
        self.quote = ""

    def _settle(self) -> None:
        if not self.quote:
            self.text += " " * self.short
            self.short = 0
