"""SARIF 2.1.0 (OASIS), as GitHub code scanning and the editors' SARIF viewers take it."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from cfglint import __version__
from cfglint.adoption.fingerprint import numbered
from cfglint.model.document import Document
from cfglint.model.edit import Fix
from cfglint.report.model import Report, dump, place
from cfglint.rule import ERROR, INFO, WARNING, Finding, Rule
from cfglint.text import Span

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
LEVELS = {ERROR: "error", WARNING: "warning", INFO: "note"}
ROOT = "%SRCROOT%"


def render(report: Report) -> str:
    """One SARIF log with one run."""
    rules = sorted({f.rule.code: f.rule for f in report.findings}.values(), key=lambda r: r.code)
    index = {rule.code: number for number, rule in enumerate(rules)}
    prints = numbered(report.findings, report.result.project.root)
    run = {
        "tool": {
            "driver": {
                "name": "cfglint",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": _rules(report, rules),
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            ROOT: {"description": {"text": "The folder that the repository was checked out to."}}
        },
        "invocations": [_invocation(report)],
        "results": [
            _result(report, finding, index, one)
            for finding, one in zip(report.findings, prints, strict=True)
        ],
    }
    return dump({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rules(report: Report, rules: list[Rule]) -> list[dict[str, Any]]:
    pages = {module.rule.code: module for module in report.result.modules}
    described = []
    for rule in rules:
        module = pages.get(rule.code)
        page = module.page if module else rule.summary
        described.append(
            {
                "id": rule.code,
                "name": "".join(part.capitalize() for part in rule.name.split("-")),
                "shortDescription": {"text": rule.summary or rule.name},
                "fullDescription": {"text": page.split("\n\n", 1)[0].replace("\n", " ")},
                "help": {"text": page, "markdown": page},
                "defaultConfiguration": {"level": LEVELS[rule.severity]},
                "properties": {
                    "tags": [module.family if module else rule.family.lower()],
                    "problem.severity": LEVELS[rule.severity].replace("note", "recommendation"),
                    "fix": rule.fix or "none",
                },
            }
        )
    return described


def _invocation(report: Report) -> dict[str, Any]:
    notes = [
        {
            "level": "warning",
            "message": {"text": "This file could not be read whole; what follows is unchecked."},
            "locations": [{"physicalLocation": {"artifactLocation": _artifact(report, document)}}],
        }
        for document in report.unread
    ]
    made: dict[str, Any] = {"executionSuccessful": not report.result.crashed}
    if notes:
        made["toolExecutionNotifications"] = notes
    return made


def _result(
    report: Report, finding: Finding, index: dict[str, int], fingerprint: str
) -> dict[str, Any]:
    text = [finding.message, finding.cause, finding.help]
    made: dict[str, Any] = {
        "ruleId": finding.rule.code,
        "ruleIndex": index[finding.rule.code],
        "level": LEVELS[finding.severity],
        "message": {"text": "\n".join(report.text(one) for one in text if one)},
        "locations": [_location(report, finding.document, finding.span)],
        "partialFingerprints": {
            "cfglint/v1": fingerprint,
            "primaryLocationLineHash": f"{fingerprint}:1",
        },
    }
    if finding.related:
        made["relatedLocations"] = [
            {
                "id": number,
                **_location(report, related.document, related.span),
                "message": {"text": report.text(related.message) or "see also"},
            }
            for number, related in enumerate(finding.related, 1)
        ]
    if finding.fix is not None and all(map(report.is_shown, finding.fix.edits)):
        made["fixes"] = [_fix(report, finding.fix)]
    return made


def _artifact(report: Report, document: Document) -> dict[str, str]:
    return {"uri": quote(report.ci_path(document), errors="replace"), "uriBaseId": ROOT}


def _location(report: Report, document: Document, span: Span) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": _artifact(report, document),
            "region": _region(document, span),
        }
    }


def _region(document: Document, span: Span) -> dict[str, int]:
    where = place(document, span)
    return {
        "startLine": where.line,
        "startColumn": where.column,
        "endLine": where.end_line,
        "endColumn": where.end_column,
    }


def _fix(report: Report, fix: Fix) -> dict[str, Any]:
    documents = report.documents_by_path()
    changes = []
    for path in dict.fromkeys(edit.path for edit in fix.edits):
        document = documents[path]
        changes.append(
            {
                "artifactLocation": _artifact(report, document),
                "replacements": [
                    {
                        "deletedRegion": _region(document, edit.span),
                        "insertedContent": {"text": edit.text},
                    }
                    for edit in fix.edits
                    if edit.path == path
                ],
            }
        )
    title = report.text(fix.title) + ("" if fix.safe else " (unsafe)")
    return {"description": {"text": title}, "artifactChanges": changes}
