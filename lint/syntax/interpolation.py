"""Variables inside a text: `$V`, `${V}`, `${V:-default}` and relatives, with their places.

Two readers expand them without a shell: Compose (in every value of its file, on the host that runs
it) and the Dockerfile builder (in ENV, ARG, FROM and others, with quotes and escapes of its own).
Sources: compose-go `template`, BuildKit `frontend/dockerfile/shell`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from cfglint.model.values import Literal, Unknown, Value, Variable, default_literal

Lookup = Callable[[str], "Value | None"]

MAX_NESTED = 50  # defaults within defaults; what goes deeper is not looked into
MAX_LENGTH = (
    100_000  # of a value put together: variables that repeat each other double it each time
)
_PLAIN = re.compile(r"[^\"'$\\`]*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Longest first; `#`, `%`, `/` cut or replace text, which only BuildKit has.
_OPERATOR = re.compile(r":-|:\?|:\+|-|\?|\+|##?|%%?|//?")


class Part(NamedTuple):
    """A piece of a text: `start` and `end` in the text, and what it stands for."""

    start: int
    end: int
    value: Value


def compose(text: str) -> list[Part]:
    """The parts of a value of a Compose file. `$$` is a dollar sign.

    What Compose refuses (`$(`, `${`, `$1`) becomes an Unknown part.
    """
    parts: list[Part] = []
    at = 0
    while at < len(text):
        dollar = text.find("$", at)
        if dollar != at:
            end = dollar if dollar >= 0 else len(text)
            parts.append(Part(at, end, Literal(text[at:end])))
            at = end
        elif text.startswith("$$", at):
            parts.append(Part(at, at + 2, Literal("$")))
            at += 2
        else:
            end, value = _variable(text, at, compose_value)
            parts.append(Part(at, end, value))
            at = end
    return parts


def compose_value(text: str) -> Value:
    """What a value of a Compose file says once its variables are seen."""
    return joined(compose(text), text) if "$" in text else Literal(text)


def docker_word(text: str, escape: str = "\\") -> list[Part]:
    """The parts of one word of an ENV, ARG, FROM ...: quotes and escapes gone, variables seen."""
    if _PLAIN.fullmatch(text):
        return [Part(0, len(text), Literal(text))] if text else []
    parts: list[Part] = []
    quote = ""
    at = 0
    while at < len(text):
        sign = text[at]
        end, value = at + 1, Literal(sign)
        if quote == "'":
            if sign == "'":
                quote, value = "", Literal("")
        elif sign == '"':
            quote, value = "" if quote else '"', Literal("")
        elif sign == "'" and not quote:
            quote, value = "'", Literal("")
        elif sign == escape and at + 1 < len(text):
            following = text[at + 1]
            if not quote or following in ('"', "$", escape):
                end, value = at + 2, Literal(following)
        elif sign == "$":
            end, found = _variable(text, at, lambda word: docker_value(word, escape))
            # The builder leaves a dollar sign alone that no name follows; Compose refuses it.
            lone = found == Unknown("$") and not re.match(r"[0-9@*#?!$-]", text[end : end + 1])
            parts.append(Part(at, end, Literal("$") if lone else found))
            at = end
            continue
        parts.append(Part(at, end, value))
        at = end
    return parts


def docker_value(text: str, escape: str = "\\") -> Value:
    """What a word of a Dockerfile says before anything is looked up."""
    return joined(docker_word(text, escape), text)


def _variable(text: str, at: int, nested: Callable[[str], Value]) -> tuple[int, Value]:
    """The end and meaning of the variable whose dollar sign stands at `at`."""
    if not text.startswith("{", at + 1):
        bare = _NAME.match(text, at + 1)
        if bare is None:  # a dollar sign before something else
            return at + 1, Unknown("$")
        return bare.end(), Variable(bare.group())
    name = _NAME.match(text, at + 2)
    end = _closing(text, at + 2)
    if name is None or end < 0:
        return len(text) if end < 0 else end + 1, Unknown(text[at : end + 1 if end >= 0 else None])
    if name.end() == end:
        return end + 1, Variable(name.group())
    operator = _OPERATOR.match(text, name.end())
    if operator is None or operator.group()[0] in "#%/":
        return end + 1, Unknown(text[at : end + 1])
    if "?" in operator.group():  # what follows is an error message
        return end + 1, Variable(name.group(), None, operator.group())
    if text.count("${", operator.end(), end) > MAX_NESTED:
        return end + 1, Unknown(text[at : end + 1])
    default = nested(text[operator.end() : end])
    return end + 1, Variable(name.group(), default, operator.group())


def _closing(text: str, at: int) -> int:
    """The place of the brace that closes the one before `at`, -1 where there is none."""
    depth = 1
    while at < len(text):
        if text.startswith("${", at):
            depth += 1
            at += 1
        elif text[at] == "}":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return -1


def resolved(parts: Sequence[Part], lookup: Lookup) -> list[Part]:
    """The parts with each variable replaced by what `lookup` says of it (None: nothing).

    A literal replaces the variable; a variable with a default (a build argument) replaces the
    default, since whoever sets it is asked first.
    """
    return [Part(p.start, p.end, resolve(p.value, lookup)) for p in parts]


def resolve(value: Value, lookup: Lookup) -> Value:
    """A value with its variables looked up."""
    if not isinstance(value, Variable):
        return value
    known = lookup(value.name)
    default = resolve(value.default, lookup) if value.default is not None else None
    if known is None:
        return Variable(value.name, default, value.operator)
    text = default_literal(known)
    if "+" in value.operator:
        is_set = isinstance(known, Literal) and known.text
        return (default or Literal("")) if is_set else value
    if isinstance(known, Literal):
        return default if not known.text and value.operator == ":-" and default else known
    if isinstance(known, Variable) and text is None and "-" in value.operator:
        return Variable(known.name, default, value.operator)
    return known


def joined(parts: Sequence[Part], text: str) -> Value:
    """One value for all parts: a literal, a lone variable, else Unknown(text)."""
    values = [part.value for part in parts]
    kept = [v for v in values if not isinstance(v, Literal) or v.text]
    if all(isinstance(value, Literal) for value in kept):
        if sum(len(value.text) for value in kept if isinstance(value, Literal)) > MAX_LENGTH:
            return Unknown(text)
        return Literal("".join(value.text for value in kept if isinstance(value, Literal)))
    return kept[0] if len(kept) == 1 else Unknown(text)


def filled(parts: Sequence[Part]) -> str | None:
    """The text when nobody sets anything: each variable at its default, None where one has none."""
    texts = [default_literal(part.value) for part in parts]
    return None if None in texts else "".join(text for text in texts if text is not None)
