"""The JSON report: a stable contract, version 1 (docs/json.md)."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from cfglint.report.model import Report, place
from cfglint.rule import Finding


def render(report: Report) -> str:
    """One JSON object with the findings and every file looked at."""
    documents = [d for d in report.result.project.documents if d.given]
    data = {
        "version": 1,
        "findings": [finding_data(report, f) for f in report.findings],
        "files": [
            {"path": report.text(d.path), "kind": d.kind}
            for d in sorted(documents, key=lambda d: d.path)
        ],
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def finding_data(report: Report, finding: Finding) -> dict[str, Any]:
    """One finding of the contract."""
    where = asdict(place(finding.document, finding.span))
    path = report.text(where.pop("path"))
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
                "path": report.text(spot.path),
                "line": spot.line,
                "column": spot.column,
                "message": report.text(related.message),
            }
        )
    return data
