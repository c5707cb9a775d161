"""The words of a Dockerfile instruction: split at blanks, or the strings of a JSON array."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_JSON_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"')
_BLANKS = re.compile(r"\s*")


class Token(NamedTuple):
    """A word of an instruction: its text as written, and its range in the instruction's text."""

    text: str
    start: int
    end: int


class Pair(NamedTuple):
    """NAME=value of an ENV or ARG. `value` is None for an ARG without default; it is as written."""

    name: Token
    value: Token | None
    spaced: bool = False  # ENV's old form: one name, a blank, the rest of the line


def split_words(text: str, at: int, escape: str = "\\", limit: int = 0) -> list[Token]:
    """The words from `at` on, split at blanks outside quotes and escapes; quotes stay in them."""
    words: list[Token] = []
    start, quote = -1, ""
    while at < len(text):
        sign = text[at]
        if start < 0:
            if sign.isspace():
                at += 1
                continue
            start = at
        if quote:
            quote = "" if sign == quote else quote
        elif sign.isspace():
            words.append(Token(text[start:at], start, at))
            if len(words) == limit:
                return words
            start = -1
        elif sign in "\"'":
            quote = sign
        at += 2 if sign == escape and quote != "'" else 1
    if start >= 0:
        words.append(Token(text[start:], start, len(text)))
    return words


def json_words(text: str, at: int = 0) -> list[Token] | None:
    """The strings of a JSON array that is all there is from `at` on, None where it is not one."""
    at = blanks_end(text, at)
    if not text.startswith("[", at):
        return None
    words = list(_json_items(text, at + 1))
    end = blanks_end(text, words[-1].end if words else at + 1)
    if not text.startswith("]", end) or text[end + 1 :].strip():
        return None
    return words


def _json_items(text: str, at: int) -> Iterator[Token]:
    while True:
        item = _JSON_STRING.match(text, blanks_end(text, at))
        if item is None:
            return
        yield Token(item.group(), item.start(), item.end())
        at = blanks_end(text, item.end())
        # A comma must be followed by another string, which is found or not in the next round.
        if not text.startswith(",", at) or not text.startswith('"', blanks_end(text, at + 1)):
            return
        at += 1


def pair_of(word: Token) -> Pair:
    name, equals, value = word.text.partition("=")
    end = word.start + len(name)
    return Pair(
        Token(name, word.start, end),
        Token(value, end + 1, word.end) if equals else None,
    )


def blanks_end(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at
