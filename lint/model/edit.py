"""Edits: what a fix writes, and what it says that this changes.

An edit replaces a span of one file's text. `changes` declares, in terms of the parsed data, what
the edit means; the fixer holds the new file against the declaration before anything is written.
"""

from __future__ import annotations

from typing import Any, Protocol

from cfglint.model.tree import Path
from cfglint.model.values import Value
from cfglint.record import dataclass, field
from cfglint.text import Span


@dataclass(frozen=True, slots=True)
class Set:
    """The data at `path` becomes `value` (the key or item must be there, or is added)."""

    path: Path
    value: Any


@dataclass(frozen=True, slots=True)
class Splice:
    """The text at `path` has `text` in place of its code points from `start` to `end`.

    Both count in the text as it was, so that several edits in one text declare one splice each.
    """

    path: Path
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Remove:
    """The key or item at `path` is gone."""

    path: Path


@dataclass(frozen=True, slots=True)
class Append:
    """The list at `path` has `value` as one more item at its end."""

    path: Path
    value: Any


@dataclass(frozen=True, slots=True)
class Insert:
    """The list at `path` has `values` in front of its item number `at`, counted as it was."""

    path: Path
    at: int
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Rename:
    """The key at `path` is called `name` now, its value untouched."""

    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class DropComment:
    """A comment, which holds no data, is gone."""

    text: str


Change = Set | Splice | Remove | Append | Insert | Rename | DropComment


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `span` of the file at `path` by `text`.

    `changes` is for files with data (YAML, JSON; the first step of a path is the number of the YAML
    document, 0 in JSON). In shell, Dockerfiles and env files the data are the tokens: those outside
    the span must stay as they are, and `changes` is empty.
    """

    path: str
    span: Span
    text: str
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair: all its edits together or none.

    `safe`: what worked before works the same after. `title` says in a few words what it does, as a
    part of a sentence: "write 8".
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool = False

    @property
    def advice(self) -> str:
        """The title as a sentence of its own."""
        return f"{self.title[0].upper()}{self.title[1:]}."


class Place(Protocol):
    """Where a value stands and how it is written there."""

    def write(self, value: Value) -> Edit | None:
        """The edit that puts `value` there, or None where this syntax cannot say it."""

    def remove(self) -> Edit | None:
        """The edit that takes the whole setting away, or None where it cannot be."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A place that cannot be rewritten (an anchor that others share, a computed word)."""

    reason: str = field(default="")

    def write(self, value: Value) -> Edit | None:
        return None

    def remove(self) -> Edit | None:
        return None
