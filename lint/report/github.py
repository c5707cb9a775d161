"""Workflow commands of GitHub Actions, which become annotations on a pull request, and the table of
the job's summary page."""

from __future__ import annotations

from cfglint.report.model import Report, place
from cfglint.report.text import summary
from cfglint.rule import ERROR, INFO, WARNING, Finding

COMMANDS = {ERROR: "error", WARNING: "warning", INFO: "notice"}
ROWS = 300  # of the table; a summary page takes a megabyte


def render(report: Report) -> str:
    """One command a finding, then the summary line."""
    lines = [_command(report, finding) for finding in report.findings]
    if not report.quiet:
        lines.append(summary(report))
    return "".join(f"{line}\n" for line in lines)


def _command(report: Report, finding: Finding) -> str:
    where = place(finding.document, finding.span)
    fields = {"file": report.line_of(report.ci_path(finding.document)), "line": str(where.line)}
    if where.end_line == where.line:
        # GitHub takes columns only where the place is within one line.
        fields["col"] = str(where.column)
        fields["endColumn"] = str(max(where.end_column - 1, where.column))
    fields["endLine"] = str(where.end_line)
    fields["title"] = f"{finding.rule.code} {finding.rule.name}"
    text = [report.text(one) for one in (finding.message, finding.cause, finding.help) if one]
    given = ",".join(f"{name}={_property(value)}" for name, value in fields.items())
    return f"::{COMMANDS[finding.severity]} {given}::{_data(chr(10).join(text))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def job_summary(report: Report) -> str:
    """A Markdown table of the findings, for the file that GITHUB_STEP_SUMMARY names."""
    lines = ["### cfglint", "", _markdown(summary(report)), ""]
    if report.findings:
        lines += ["| severity | rule | place | what |", "| --- | --- | --- | --- |"]
    for finding in sorted(report.findings, key=lambda f: -f.severity)[:ROWS]:
        where = place(finding.document, finding.span)
        spot = f"{report.line_of(report.ci_path(finding.document))}:{where.line}"
        cells = (
            finding.severity.label,
            f"{finding.rule.code} {finding.rule.name}",
            spot,
            report.line_of(finding.message),
        )
        lines.append("| " + " | ".join(map(_markdown, cells)) + " |")
    if len(report.findings) > ROWS:
        lines += ["", f"{len(report.findings) - ROWS} more are in the log."]
    return "\n".join(lines) + "\n\n"


_SPECIAL = {ord(c): f"&#{ord(c)};" for c in "\\`*_[]<>|#@!~&$:"}


def _markdown(text: str) -> str:
    """Text without any meaning in Markdown or HTML: every special sign as a character reference."""
    return text.translate(_SPECIAL).replace("\n", " ")
