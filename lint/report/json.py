"""The JSON report: a stable contract, version 1 (docs/reports.md)."""

from __future__ import annotations

from typing import Any

from cfglint.record import asdict
from cfglint.report.model import Report, dump, place
from cfglint.rule import Finding


def render(report: Report) -> str:
    """One JSON object with the findings and every file looked at."""
    unread = {id(d) for d in report.unread}
    data = {
        "version": 1,
        "findings": [finding_data(report, f) for f in report.findings],
        "files": [{"path": report.path(d), "kind": d.kind} for d in report.given],
        "unread": [report.path(d) for d in report.given if id(d) in unread],
    }
    return dump(data)


def finding_data(report: Report, finding: Finding) -> dict[str, Any]:
    where = asdict(place(finding.document, finding.span))
    path = report.line_of(where.pop("path"))
    data: dict[str, Any] = {
        "code": finding.rule.code,
        "name": finding.rule.name,
        "severity": finding.severity.label,
        "message": report.text(finding.message),
        "path": path,
        **where,
        "cause": report.text(finding.cause),
        "help": report.text(finding.help),
        "fix": None,
    }
    if finding.fix is not None:
        data["fix"] = {
            "applicability": "safe" if finding.fix.safe else "unsafe",
            "title": report.text(finding.fix.title),
            "edits": [
                {**asdict(report.edit_place(edit)), "text": report.masker.mask(edit.text)}
                for edit in finding.fix.edits
            ],
        }
    elif finding.no_fix:
        data["no_fix"] = report.text(finding.no_fix)
    data["related"] = []
    for related in finding.related:
        spot = place(related.document, related.span)
        data["related"].append(
            {
                "path": report.line_of(spot.path),
                "line": spot.line,
                "column": spot.column,
                "message": report.text(related.message),
            }
        )
    return data
