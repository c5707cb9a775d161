"""Writing into shell words: in the quoting that stands there, or not at all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cfglint.model.edit import Edit
from cfglint.model.values import Computed, Literal, Value, Variable

if TYPE_CHECKING:
    from cfglint.model.edit import Place
    from cfglint.syntax.shell_words import Part, ShellWord

_BLANKS = re.compile(r"(?:\s|\\\r?\n)*")
_BARE = re.compile(r"[A-Za-z0-9_@%+=:,./^-]+")


def adjoin(before: ShellWord, word: ShellWord) -> bool:
    """Whether only blanks lie between two words of one text.

    Words of one command can stand far apart: a variable, an array or a call gave some of them.
    """
    if before.fragment is not word.fragment:
        return False
    between = word.fragment.text[before.end : word.start]
    if before.end > word.start or _BLANKS.fullmatch(between) is None:
        return False
    ranges = getattr(word.fragment, "ranges", ())
    if not ranges or not 0 < before.end <= word.start < len(ranges):
        return True
    # An array's text has blanks for its comments, which must not go with a word.
    behind, ahead = ranges[before.end - 1][1], ranges[word.start][0]
    return "#" not in word.fragment.parent.text[behind:ahead]  # type: ignore[attr-defined]


class WordPlace:
    """Where a word or a piece of one stands. Writes in the quoting that is there.

    `before` is the word in front of a whole word: what lies between goes with it on removal.
    """

    __slots__ = ("before", "word")

    def __init__(self, word: ShellWord, before: ShellWord | None = None) -> None:
        self.word = word
        self.before = before

    def write(self, value: Value) -> Edit | None:
        word = self.word
        if any(part.partial or _is_sum(part, word) for part in word.parts):
            return None
        new = written(value, word)
        return None if new is None else word.fragment.edit(word.start, word.end, new)

    def remove(self) -> Edit | None:
        before, word = self.before, self.word
        if before is None or before is word:
            return None
        if before.fragment is not word.fragment:
            item = word.fragment.item
            whole = word.start == 0 and word.end == len(word.fragment.text)
            return item.remove() if item is not None and whole else None
        if not adjoin(before, word):
            return None
        return word.fragment.edit(before.end, word.end, "")

    def remove_to(self, last: Place) -> Edit | None:
        """The edit that takes the items of a list from this to the `last` out, None for no way."""
        item = self.word.fragment.item
        other = last.word.fragment.item if isinstance(last, WordPlace) else None
        return item.remove(other) if item is not None and other is not None else None

    def split(self) -> list[Edit] | None:
        """The edits that make a list's item one item for each of its words, None if impossible."""
        from cfglint.syntax.unsplit import split

        return split(self.word)


def _is_sum(part: Part, word: ShellWord) -> bool:
    """Whether a number was reckoned: it is another one each time that it is read."""
    text = word.fragment.text
    return isinstance(part.value, Literal) and text.startswith(("$((", "$["), part.start)


def is_named_again(text: str, name: str) -> bool:
    """Whether a text names a variable where it does not set it: `-x NAME`, `export NAME`."""
    return re.search(rf"\b{name}\b(?!\+?=)", text) is not None


class AssignmentPlace(WordPlace):
    """The value of `NAME=value` in a script. Removal takes the whole assignment."""

    __slots__ = ("end", "name_end", "start")

    def __init__(self, word: ShellWord, start: int, end: int, name: str) -> None:
        super().__init__(word)
        self.name_end = start + len(name)
        self.start = start
        self.end = end

    def rename(self, name: str) -> Edit | None:
        """The edit that gives the variable another name, None where it is named elsewhere."""
        fragment = self.word.fragment
        if is_named_again(fragment.text, fragment.text[self.start : self.name_end]):
            return None
        return fragment.edit(self.start, self.name_end, name)

    def remove(self) -> Edit | None:
        fragment = self.word.fragment
        text = fragment.text
        head = re.search(r"(?:^|(?<=[\r\n]))[ \t]*(?:export[ \t]+)?$", text[: self.start])
        tail = re.match(r"[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n|$)", text[self.end :])
        if head and tail:
            return fragment.edit(head.start(), self.end + tail.end(), "")
        following = re.match(r"[ \t]+(?=[^\s;&|#\\])", text[self.end :])
        if following and not (head and "export" in head.group()):
            return fragment.edit(self.start, self.end + following.end(), "")
        return None


def written(value: Value, word: ShellWord) -> str | None:
    """How `value` is written in place of `word` (or of a piece of one); None where it cannot be."""
    if not word.shell:
        if isinstance(value, Literal):
            return value.text
        return variable_text(value) if word.variables else None
    interpolates = getattr(word.fragment, "interpolates", False)
    if isinstance(value, Computed):
        if word.quote not in ("", '"', "<<"):
            return None
        return value.text.replace("$", "$$") if interpolates else value.text
    if interpolates and not isinstance(value, Literal):
        return variable_text(value)
    quote = word.quote
    if quote and any(part.run != word.parts[0].run for part in word.parts):
        return None
    if not quote and word.quoted and isinstance(value, Literal) and "'" not in value.text:
        quote = word.parts[0].quote
        inner = quoted_text(value.text, quote)
        return None if inner is None else f"{quote}{inner}{quote.strip('$')}"
    if isinstance(value, Literal):
        return quoted_text(value.text, quote)
    text = variable_text(value)
    if text is None or quote in ("'", "$'"):
        return None
    safe = quote in ('"', "<<") or _BARE.fullmatch(re.sub(r"[${}]", "", text))
    return text if safe else f'"{text}"'


def variable_text(value: Value) -> str | None:
    """`${NAME:-default}` for a variable whose default, if any, is plain text."""
    if not isinstance(value, Variable):
        return None
    if value.default is None:
        return f"${{{value.name}{value.operator}}}"
    if not isinstance(value.default, Literal) or re.search(r"[\"'`$\\}]", value.default.text):
        return None
    return f"${{{value.name}{value.operator or ':-'}{value.default.text}}}"


def quoted_text(text: str, quote: str) -> str | None:
    """`text` as it is written inside `quote` ("" outside of any); None where it cannot be."""
    if quote == '"':
        return re.sub(r'([\\"$`])', r"\\\1", text)
    if quote == "<<":
        return re.sub(r"([\\$`])", r"\\\1", text)
    if quote == "$'":
        return None if re.search(r"[\\'\n]", text) else text
    if quote == "'":
        return None if "'" in text else text
    if _BARE.fullmatch(text):
        return text
    return "'" + text.replace("'", "'\\''") + "'"
