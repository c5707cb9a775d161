"""Words of a plain command without the grammar, and items of an argument list."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cfglint.model.fragment import Fragment
from cfglint.model.values import Literal
from cfglint.syntax.shell_scanner import Scanner, closing
from cfglint.syntax.shell_words import Part, ShellWord

if TYPE_CHECKING:
    from cfglint.model.document import Document

# What only the real parser may read: operators, comments, substitutions, several lines; a variable
# whose name the next line has.
_NEEDS_PARSER = re.compile(r"[;|&<>()`\n\r]|\$\(|\$\\\r?\n")


def split(
    fragment: Fragment,
    document: Document,
    known: dict[int, Part] | None = None,
    command: bool = True,
) -> tuple[ShellWord, ...] | None:
    """The words of one plain command; None where operators, comments, substitutions or several
    lines need the real parser (`cfglint.syntax.shell.parse`). `command` False: those of an array,
    where `NAME=value` is a word like any other and `$(...)` a part of one."""
    text = fragment.text
    words: list[ShellWord] = []
    scanner = Scanner(text, known)
    at, size = 0, len(text.rstrip())
    if text.endswith("\\", 0, size):
        return None
    while at < size:
        skipped = re.compile(r"(?:[ \t]|\\\r?\n)*").match(text, at)
        assert skipped
        start = at = skipped.end()
        while at < size and text[at] not in " \t":
            sign = text[at]
            if sign == "'":
                close = text.find("'", at + 1)
                if close < 0:
                    return None
                at = close + 1
            elif sign == '"':
                at = _skip_double(text, at, command)
                if at < 0:
                    return None
            elif text.startswith(("\\\n", "\\\r\n"), at):
                joined = at + (2 if text[at + 1] == "\n" else 3)
                if text[joined : joined + 1] in ("", " ", "\t"):
                    break
                at = joined
            elif sign == "\\":
                at += 2
            elif text.startswith(("${", "$["), at) or (not command and text.startswith("$(", at)):
                at = closing(text, at + 1)
            elif _NEEDS_PARSER.match(text, at) or (sign == "#" and at == start):
                return None
            else:
                at += 1
        if at > start:
            at = min(at, size)
            words.append(ShellWord(fragment, document, scanner.word(start, at), start, at))
    if not command:
        return None if any(re.match(r"\[[^]]*\]\+?=", w.prefix()) for w in words) else tuple(words)
    if words and re.match(r"[A-Za-z_]\w*\+?=|[!{]$", words[0].prefix()):
        return None
    return tuple(words)


def _skip_double(text: str, at: int, command: bool) -> int:
    at += 1
    while at < len(text) and text[at] != '"':
        substitution = text.startswith("$(", at)
        if text[at] == "`" or (substitution and command):
            return -1
        if substitution:
            at = closing(text, at + 1)
            continue
        at += 2 if text[at] == "\\" else 1
    return at + 1 if at < len(text) else -1


def exec_word(fragment: Fragment, document: Document, variables: bool = False) -> ShellWord:
    """An item of an argument list (JSON form, a YAML list): the whole text is one word.

    `variables`: something expands `$NAME` and `${NAME:-default}` in it (compose, Dockerfile ENV).
    """
    text = fragment.text
    parts: list[Part] = []
    at = 0
    scanner = Scanner(text)
    while variables and (found := text.find("$", at)) >= 0:
        if found > at:
            parts.append(Part(Literal(text[at:found]), at, found))
        if text.startswith("$$", found):
            part = Part(Literal("$"), found, found + 2)
        else:
            part = scanner.expansion(found, len(text), "", (0, 0))
        parts.append(part)
        at = part.end
    if at < len(text) or not parts:
        parts.append(Part(Literal(text[at:]), at, len(text)))
    return ShellWord(fragment, document, tuple(parts), 0, len(text), False, variables)
