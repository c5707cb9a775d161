"""How many findings of each rule, those that can be repaired marked."""

from __future__ import annotations

from collections import Counter

from cfglint.record import dataclass
from cfglint.report.model import Report, dump
from cfglint.report.text import Paint, severity_colour, summary
from cfglint.rule import Finding


@dataclass(frozen=True, slots=True)
class Row:
    """The findings of one rule: how many, and how many have a safe or unsafe fix."""

    code: str
    name: str
    severity: str
    count: int
    safe: int
    unsafe: int


def rows(report: Report) -> list[Row]:
    """One row a rule, the most frequent first."""
    groups: dict[str, list[Finding]] = {}
    for finding in report.findings:
        groups.setdefault(finding.rule.code, []).append(finding)
    made = []
    for code, group in groups.items():
        fixes = Counter(f.fix.safe for f in group if f.fix is not None)
        worst = max(f.severity for f in group).label
        made.append(Row(code, group[0].rule.name, worst, len(group), fixes[True], fixes[False]))
    return sorted(made, key=lambda row: (-row.count, row.code))


def as_text(report: Report) -> str:
    """A table and the summary."""
    paint = Paint(report.colour)
    table = rows(report)
    width = max((len(str(row.count)) for row in table), default=1)
    names = max((len(row.name) for row in table), default=1)
    lines = []
    for row in table:
        marks = []
        if row.safe:
            marks.append(f"{'all' if row.safe == row.count else row.safe} with --fix")
        if row.unsafe:
            marks.append(f"{'all' if row.unsafe == row.count else row.unsafe} with --unsafe-fixes")
        severity = paint(f"{row.severity:7}", severity_colour(row.severity))
        line = f"{row.count:{width}} {row.code:8} {severity} {row.name:{names}}"
        lines.append(f"{line}  {', '.join(marks)}".rstrip())
    if not report.quiet:
        lines += ["", summary(report, paint)] if lines else [summary(report, paint)]
    return "\n".join(lines) + "\n" if lines else ""


def as_json(report: Report) -> str:
    """A list of objects with code, name, severity, count and the numbers of fixes."""
    return dump(
        [
            {
                "code": row.code,
                "name": row.name,
                "severity": row.severity,
                "count": row.count,
                "safe_fixes": row.safe,
                "unsafe_fixes": row.unsafe,
            }
            for row in rows(report)
        ]
    )
