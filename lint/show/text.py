"""The jobs as a tree on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from cfglint.report.model import Report, place
from cfglint.rule import Finding
from cfglint.show.model import Job, Node, stands_on
from cfglint.show.ports import Register
from cfglint.show.values import Fact

STYLES = {"known": "", "default": "dim", "open": "yellow", "absent": "dim"}
SEVERITY = {"error": "red", "warning": "yellow", "info": "cyan"}
WIDEST_VALUE = 60
PLAIN_WIDTH = 120  # where no terminal says how wide it is


def console(colour: bool) -> Console:
    """A console on standard output, in colour or in plain text."""
    width = None if sys.stdout.isatty() else PLAIN_WIDTH
    return Console(
        force_terminal=colour, no_color=not colour, color_system="standard" if colour else None,
        width=width, highlight=False, emoji=False, soft_wrap=False,
    )  # fmt: skip


def show_jobs(made: list[Job], report: Report, colour: bool) -> None:
    """Print every job with its nodes."""
    parts: list[RenderableType] = []
    for job in made:
        parts += [_job(job, report), ""]
    _print([*parts, _summary(made)], colour)


def _print(parts: list[RenderableType], colour: bool) -> None:
    """Print, without the blanks that fill up a table's cells where they would be in the way."""
    out = console(colour)
    with out.capture() as capture:
        for part in parts:
            out.print(part)
    text = capture.get()
    if not colour:
        text = "\n".join(line.rstrip() for line in text.split("\n"))
    sys.stdout.write(text)


def _summary(made: list[Job]) -> Text:
    count = len(made)
    findings = {id(f): f for job in made for f in job.all_findings}
    text = Text(f"{count} job{'s' * (count != 1)}")
    by_label = [
        (label, sum(1 for f in findings.values() if f.severity.label == label))
        for label in SEVERITY
    ]
    for label, number in by_label:
        if number:
            shown = f"{number} {label}{'s' * (number != 1 and label != 'info')}"
            text.append(", ").append(shown, style=SEVERITY[label])
    return text


def _job(job: Job, report: Report) -> RenderableType:
    title = Text(f"Job {job.number}: ", style="bold")
    title.append(report.text(job.title), style="bold")
    title.append(f"  {job.size}", style="dim")
    tree = Tree(title, guide_style="dim")
    if job.facts or job.findings:
        tree.add(_facts(job.facts, job.findings, report))
    for node in job.nodes:
        branch = tree.add(_node_title(node, report))
        branch.add(_facts(node.facts, node.findings, report))
    return tree


def _node_title(node: Node, report: Report) -> Text:
    text = Text(report.text(node.name), style="bold")
    return text.append(f"  {report.text(node.starter)}, {report.text(node.place)}", style="dim")


def _facts(facts: Iterable[Fact], findings: list[Finding], report: Report) -> RenderableType:
    """Rows of name, value and place; under each the findings that stand on it."""
    rows = [(fact, _value(fact, report)) for fact in facts]
    names = max((len(fact.name) for fact, _ in rows), default=0)
    values = max((text.cell_len for _, text in rows), default=0)
    left = list(findings)
    parts: list[RenderableType] = []
    for fact, value in rows:
        row = Table.grid(padding=(0, 2, 0, 0))
        row.add_column(style="dim", no_wrap=True, width=names)
        row.add_column(overflow="fold", width=min(values, WIDEST_VALUE))
        row.add_column(style="dim", overflow="fold")
        row.add_row(fact.name, value, report.text(fact.source or fact.note))
        parts.append(row)
        for finding in [f for f in left if stands_on(f, fact)]:
            left.remove(finding)
            parts.append(Padding(_finding(finding, report), (0, 0, 0, names + 2)))
    parts += [Padding(_finding(finding, report), (0, 0, 0, names + 2)) for finding in left]
    return Group(*parts)


def _value(fact: Fact, report: Report) -> Text:
    value = Text(report.text(fact.value), style=STYLES[fact.state])
    if fact.state == "open":
        value.append("  ?", style="bold yellow")
    if fact.note == "differs":
        value.append("  differs", style="bold red")
    return value


def _finding(finding: Finding, report: Report) -> Text:
    style = SEVERITY[finding.severity.label]
    text = Text(f"{finding.severity.label} {finding.rule.code} ", style=f"bold {style}")
    text.append(report.text(finding.message), style=style)
    return text.append(f"  {_place(finding, report)}", style="dim")


def _place(finding: Finding, report: Report) -> str:
    spot = place(finding.document, finding.span)
    return report.text(f"{spot.path}:{spot.line}")


def show_ports(register: Register, report: Report, colour: bool) -> None:
    """Print the port register."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    for title in ("port", "host", "used as", "job", "where", ""):
        table.add_column(title, overflow="fold")
    styles = {"clash": "bold red", "shared": "yellow", "": ""}
    for entry in register.entries:
        style = styles[entry.mark]
        table.add_row(
            Text(report.text(entry.port), style=style),
            report.text(entry.host),
            entry.use,
            report.text(entry.job),
            Text(report.text(entry.source), style="dim"),
            Text(report.text(entry.remark), style=style),
        )
    rows: list[RenderableType] = [table, ""] if register.entries else []
    _print([*rows, Text(register.summary)], colour)
