"""What a program that reads a config objects to: the outcome of checks that a module of the model
makes for a rule, in the words of the finding."""

from __future__ import annotations

from cfglint.document import Document
from cfglint.edit import Fix
from cfglint.record import dataclass
from cfglint.rule import Finding, Related, Rule, Severity
from cfglint.text import Span


@dataclass(frozen=True, slots=True)
class Objection:
    """Something wrong at one place: what it is, what the reader will do about it, what mends it.

    `severity` is None where it is the rule's own.
    """

    span: Span
    message: str
    cause: str
    help: str = ""
    severity: Severity | None = None
    fix: Fix | None = None
    related: tuple[Related, ...] = ()

    def finding(self, rule: Rule, document: Document) -> Finding:
        """The rule's finding."""
        return rule.finding(
            document, self.span, self.message, severity=self.severity, cause=self.cause,
            help=self.help, fix=self.fix, related=self.related,
        )  # fmt: skip
