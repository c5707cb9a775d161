"""What a program that reads a config objects to: the outcome of checks that a module of the model
makes for a rule, in the words of the finding."""

from __future__ import annotations

from collections.abc import Sequence

from cfglint.model.document import Document
from cfglint.model.edit import Fix
from cfglint.record import dataclass
from cfglint.rule import Finding, Related, Rule, Severity
from cfglint.text import Span


@dataclass(frozen=True, slots=True)
class Objection:
    """Something wrong at one place: what it is, what the reader will do about it, what mends it.

    What is None is as the rule has it.
    """

    span: Span
    message: str
    cause: str | None = None
    help: str | None = None
    severity: Severity | None = None
    fix: Fix | None = None
    no_fix: str = ""
    related: Sequence[Related] = ()

    def finding(self, rule: Rule, document: Document) -> Finding:
        """The rule's finding."""
        return rule.finding(
            document, self.span, self.message, severity=self.severity, cause=self.cause,
            help=self.help, fix=self.fix, no_fix=self.no_fix,
            related=tuple(self.related),
        )  # fmt: skip
