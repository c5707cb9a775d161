"""What a rule module imports: the rule's declaration, findings, fixes, and the model's values.

A rule is one module in `cfglint.rules.<family>`. It assigns `RULE` and defines at least one of

    check_launch(launch, project)      for each launch
    check_document(document, project)  for each file of the kinds in `RULE.kinds`
    check_project(project)             once

each a generator of findings. The module's docstring is the rule's page.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from cfglint.model.document import Document, Problem
from cfglint.model.edit import DropComment, Edit, Fix
from cfglint.model.launch import Container, Launch, Network, Port, Program, Setting, Word
from cfglint.model.tree import Entry, Mapping, Node, Scalar, Sequence, find, mappings, to_data, walk
from cfglint.model.tree import target as resolve_alias
from cfglint.model.values import (
    Alternatives,
    Computed,
    Literal,
    Unknown,
    Value,
    Variable,
    as_int,
    default_int,
    default_literal,
    is_unknown,
    literal,
    parse_int,
    possible,
)
from cfglint.record import dataclass
from cfglint.spelling import near
from cfglint.syntax import editing as edit
from cfglint.text import Span

if TYPE_CHECKING:
    pass


class Severity(IntEnum):
    """How bad: `ERROR` fails whatever the machine, `WARNING` under conditions the files leave open
    or a setting is silently ignored, `INFO` is advice."""

    INFO = 0
    WARNING = 1
    ERROR = 2

    @property
    def label(self) -> str:
        return self.name.lower()


INFO, WARNING, ERROR = Severity.INFO, Severity.WARNING, Severity.ERROR


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that a finding speaks of."""

    document: Document
    span: Span
    message: str


@dataclass(slots=True)
class Finding:
    """One fault at one place.

    `cause` is what a person will meet (an error message in their words), `help` the repair in one
    line. `fix` is None where there is none; `no_fix` says why when one was refused.
    """

    rule: Rule
    severity: Severity
    message: str
    document: Document
    span: Span
    cause: str = ""
    help: str = ""
    fix: Fix | None = None
    no_fix: str = ""
    related: tuple[Related, ...] = ()

    @property
    def order(self) -> tuple[str, int, int, str]:
        """What findings are sorted by: path, place, code."""
        return (self.document.path, self.span.start, self.span.end, self.rule.code)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule's declaration.

    `fix` is "safe", "unsafe" or "" (the best it can offer); `unsafe_too` says that it offers unsafe
    ones where the safe one is not to be had. `kinds` limits `check_document` (empty:
    every kind). `symptoms` are regular expressions of error messages that this fault produces.
    `unreadable`: it also looks at files whose bytes are no text (their tree is None).
    `cause` and `help` are what findings say unless they say better. `yields_to` names codes whose
    finding on the same words makes this one redundant.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    fix: str = ""
    unsafe_too: bool = False
    since: str = "0.1.0"
    kinds: tuple[str, ...] = ()
    symptoms: tuple[str, ...] = ()
    cause: str = ""
    help: str = ""
    yields_to: tuple[str, ...] = ()
    unreadable: bool = False

    @property
    def family(self) -> str:
        """The letters of the code."""
        return self.code.rstrip("0123456789")

    @property
    def fixes(self) -> str:
        """The kinds of fix it offers, as lists of rules say it; "" for none."""
        return f"{self.fix} or unsafe" if self.unsafe_too else self.fix

    def at(
        self,
        place: Setting | Problem | Container,
        message: str,
        *,
        document: Document | None = None,
        severity: Severity | None = None,
        cause: str | None = None,
        help: str | None = None,
        fix: Fix | None = None,
        no_fix: str = "",
        related: tuple[Related, ...] | list[Related] = (),
    ) -> Finding:
        """A finding where a setting (or, with `document`, a problem or container) stands."""
        where = place.document if isinstance(place, Setting) else document
        if where is None:
            raise TypeError("a finding on anything but a setting needs its document")
        return self.finding(
            where, place.span, message, severity=severity, cause=cause, help=help, fix=fix,
            no_fix=no_fix, related=related,
        )  # fmt: skip

    def finding(
        self,
        document: Document,
        span: tuple[int, int],
        message: str,
        *,
        severity: Severity | None = None,
        cause: str | None = None,
        help: str | None = None,
        fix: Fix | None = None,
        no_fix: str = "",
        related: tuple[Related, ...] | list[Related] = (),
    ) -> Finding:
        """A finding at a span of a document."""
        return Finding(
            self,
            self.severity if severity is None else severity,
            message,
            document,
            Span(*span),
            self.cause if cause is None else cause,
            self.help if help is None else help,
            fix,
            no_fix,
            tuple(related),
        )


def repair(title: str, *edits: Edit | list[Edit] | None, safe: bool = False) -> Fix | None:
    """A fix of all these edits, or None when one of them cannot be written.

    One that takes a comment away, which somebody wrote and nothing else says, is never safe.
    """
    flat: list[Edit] = []
    for one in edits:
        if one is None:
            return None
        if isinstance(one, list):
            flat.extend(one)
        else:
            flat.append(one)
    safe = safe and not any(isinstance(c, DropComment) for one in flat for c in one.changes)
    return Fix(title, tuple(flat), safe) if flat else None


__all__ = [
    "ERROR",
    "INFO",
    "WARNING",
    "Alternatives",
    "Computed",
    "Container",
    "Document",
    "Edit",
    "Entry",
    "Finding",
    "Fix",
    "Launch",
    "Literal",
    "Mapping",
    "Network",
    "Node",
    "Port",
    "Problem",
    "Program",
    "Related",
    "Rule",
    "Scalar",
    "Sequence",
    "Setting",
    "Severity",
    "Span",
    "Unknown",
    "Value",
    "Variable",
    "Word",
    "as_int",
    "default_int",
    "default_literal",
    "edit",
    "find",
    "is_unknown",
    "literal",
    "mappings",
    "near",
    "parse_int",
    "possible",
    "repair",
    "resolve_alias",
    "to_data",
    "walk",
]
