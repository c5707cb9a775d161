"""Which report goes where."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from cfglint.cli import UsageError
from cfglint.engine import Result
from cfglint.fixer import Fixed
from cfglint.report.model import Report

FORMATS = ("full", "concise", "json")


@dataclass(frozen=True, slots=True)
class Output:
    """The report format of a run."""

    name: str = "full"

    @classmethod
    def parse(cls, text: str | None) -> Output:
        """Raises UsageError for a format that does not exist."""
        from cfglint.rule import near

        if text is None:
            return cls()
        if text not in FORMATS:
            guess = near(text, FORMATS)
            meant = f"; did you mean {guess}?" if guess else f"; known are {', '.join(FORMATS)}"
            raise UsageError(f"unknown output format {text!r}{meant}")
        return cls(text)

    def show(self, result: Result, fixed: Fixed | None, before: Result | None, quiet: bool) -> Report:
        """Print the report; `before` is the run over the old texts when a diff is wanted."""
        report = Report(result, fixed=fixed)
        if before is not None and fixed is not None:
            from cfglint.report.diff import unified

            report.diff = unified(report, before, fixed.texts)
        sys.stdout.write(self._render(report, quiet))
        sys.stdout.flush()
        return report

    def _render(self, report: Report, quiet: bool) -> str:
        if self.name == "json":
            from cfglint.report import json

            return json.render(report)
        from cfglint.report import text

        paint = text.Paint(colour())
        body = (text.full if self.name == "full" else text.concise)(report, paint)
        if quiet:
            body = body.rstrip("\n").rpartition("\n")[0]
            body = body.rstrip("\n") + "\n" if body.strip() else ""
        return report.diff + ("\n" if report.diff else "") + body


def colour() -> bool:
    """Whether standard output takes colours: a terminal, and NO_COLOR not set."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
