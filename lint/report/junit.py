"""JUnit XML, as Jenkins and most CI systems read it: a suite a config, a case a finding.

A finding below `fail-on` is a case that passes and says so in its output; a file that could not be
read is an error, not a failure.
"""

from __future__ import annotations

from cfglint.model.document import Document
from cfglint.report.model import UNREAD, Report, place
from cfglint.rule import Finding, Severity


def render(report: Report) -> str:
    """An XML document; everything that a config says stands in it escaped."""
    by_path: dict[str, list[Finding]] = {}
    named: dict[str, Document] = {}
    for document in report.given:
        if document.kind is not None:
            named[document.path] = document
            by_path[document.path] = []
    for finding in report.findings:
        named.setdefault(finding.document.path, finding.document)
        by_path.setdefault(finding.document.path, []).append(finding)
    suites = [_Suite(report, named[path], by_path[path]) for path in sorted(by_path)]
    total = _counts(sum(s.tests for s in suites), sum(s.failures for s in suites),
                    sum(s.errors for s in suites))  # fmt: skip
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="cfglint" {total}>']
    for suite in suites:
        lines += suite.lines
    return "\n".join([*lines, "</testsuites>"]) + "\n"


class _Suite:
    def __init__(self, report: Report, document: Document, findings: list[Finding]) -> None:
        self.failures = 0
        self.errors = 0
        self.tests = max(1, len(findings))
        path = report.line_of(report.ci_path(document))
        cases = [line for finding in findings for line in self._case(report, finding, path)]
        if not findings:
            cases = [f'  <testcase name="no findings" classname={_quoted(path)}/>']
        counts = _counts(self.tests, self.failures, self.errors)
        head = f" <testsuite name={_quoted(path)} {counts}>"
        self.lines = [head, *cases, " </testsuite>"]

    def _case(self, report: Report, finding: Finding, path: str) -> list[str]:
        where = place(finding.document, finding.span)
        name = f"{finding.rule.code} {finding.rule.name} line {where.line} column {where.column}"
        parts = [f"{path}:{where.line}:{where.column}: {finding.severity.label}"]
        parts += [report.text(one) for one in (finding.message, finding.cause, finding.help) if one]
        body = _escaped("\n".join(parts))
        fail_on = report.result.project.settings.fail_on
        if fail_on == "never" or finding.severity < Severity[fail_on.upper()]:
            inner = f"   <system-out>{body}</system-out>"
        else:
            word = "error" if finding.rule.code in UNREAD else "failure"
            self.errors += word == "error"
            self.failures += word == "failure"
            message = _quoted(report.line_of(finding.message))
            kind = _quoted(finding.rule.code)
            inner = f"   <{word} message={message} type={kind}>{body}</{word}>"
        head = f"  <testcase name={_quoted(name)} classname={_quoted(path)}>"
        return [head, inner, "  </testcase>"]


def _counts(tests: int, failures: int, errors: int) -> str:
    return f'tests="{tests}" failures="{failures}" errors="{errors}"'


def _escaped(text: str) -> str:
    """XML character data. Control characters were spelled out before; `]]>` cannot stand in it."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("##", "#&#35;").replace("::", ":&#58;")


def _quoted(text: str) -> str:
    escaped = _escaped(text).replace('"', "&quot;")
    return '"' + escaped.replace("\n", "&#10;").replace("\t", "&#9;") + '"'
