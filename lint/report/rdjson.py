"""rdjson, the format of reviewdog: it posts the findings to a review, repairs as suggestions.

Columns count the bytes of the line in UTF-8, as reviewdog has it. A repair of several edits in one
file is one suggestion over all of them; one that touches several files is none.
"""

from __future__ import annotations

from typing import Any

from cfglint.model.document import Document
from cfglint.model.edit import Fix
from cfglint.report.model import Report, dump
from cfglint.rule import Finding
from cfglint.text import Span


def render(report: Report) -> str:
    """A DiagnosticResult."""
    return dump(
        {
            "source": {"name": "cfglint"},
            "diagnostics": [_diagnostic(report, finding) for finding in report.findings],
        }
    )


def _diagnostic(report: Report, finding: Finding) -> dict[str, Any]:
    text = [finding.message, finding.cause, finding.help]
    made: dict[str, Any] = {
        "message": "\n".join(report.text(one) for one in text if one),
        "location": _location(report, finding.document, finding.span),
        "severity": finding.severity.label.upper(),
        "code": {"value": finding.rule.code},
    }
    suggestion = _suggestion(report, finding.fix, finding.document) if finding.fix else None
    if suggestion is not None:
        made["suggestions"] = [suggestion]
    if finding.related:
        made["related_locations"] = [
            {
                "message": report.text(related.message),
                "location": _location(report, related.document, related.span),
            }
            for related in finding.related
        ]
    return made


def _location(report: Report, document: Document, span: Span) -> dict[str, Any]:
    return {"path": report.path(document), "range": _range(document, span)}


def _range(document: Document, span: Span) -> dict[str, Any]:
    end = max(span.start, span.end)
    return {"start": _position(document, span.start), "end": _position(document, end)}


def _position(document: Document, offset: int) -> dict[str, int]:
    source = document.source
    line, column = source.position(offset)
    before = source.text[offset - column + 1 : offset]
    return {"line": line, "column": len(before.encode("utf-8", "surrogatepass")) + 1}


def _suggestion(report: Report, fix: Fix, document: Document) -> dict[str, Any] | None:
    if any(edit.path != document.path or not report.is_shown(edit) for edit in fix.edits):
        return None
    edits = sorted(fix.edits, key=lambda e: e.span)
    start, end = edits[0].span.start, max(edit.span.end for edit in edits)
    parts = []
    at = start
    for edit in edits:
        parts += [document.source.text[at : edit.span.start], edit.text]
        at = edit.span.end
    text = "".join(parts)
    if report.masker.mask(text) != text:
        return None  # the text between the edits holds a secret
    return {"range": _range(document, Span(start, end)), "text": text}
