"""GitLab Code Quality: the report that a merge request shows in its widget and diff."""

from __future__ import annotations

from cfglint.adoption.fingerprint import numbered
from cfglint.report.model import Report, dump, place
from cfglint.rule import ERROR, INFO, WARNING

SEVERITIES = {ERROR: "major", WARNING: "minor", INFO: "info"}


def render(report: Report) -> str:
    """A JSON list with one issue a finding."""
    prints = numbered(report.findings, report.result.project.root)
    issues = []
    for finding, fingerprint in zip(report.findings, prints, strict=True):
        where = place(finding.document, finding.span)
        issues.append(
            {
                "description": f"{finding.rule.name}: {report.line_of(finding.message)}",
                "check_name": finding.rule.code,
                "fingerprint": fingerprint,
                "severity": SEVERITIES[finding.severity],
                "location": {
                    "path": report.line_of(report.ci_path(finding.document)),
                    "lines": {"begin": where.line, "end": where.end_line},
                },
            }
        )
    return dump(issues)
