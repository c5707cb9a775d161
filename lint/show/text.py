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
from cfglint.show.model import Job, Node, documents
from cfglint.show.places import Places
from cfglint.show.placing import stands_on
from cfglint.show.ports import Register
from cfglint.show.values import Fact

STYLES = {"known": "", "default": "dim", "open": "yellow", "absent": "dim"}
SEVERITY = {"error": "red", "warning": "yellow", "info": "cyan"}
WIDEST_VALUE = 60
MARKS = {"clash": "bold red", "shared": "yellow", "": ""}
UNFOLDED = 100_000  # where it is no terminal: a line stays one for grep


def console(colour: bool) -> Console:
    """A console on standard output, in colour or in plain text."""
    width = None if sys.stdout.isatty() else UNFOLDED
    return Console(
        force_terminal=colour, no_color=not colour, color_system="standard" if colour else None,
        width=width, highlight=False, emoji=False, soft_wrap=False,
    )  # fmt: skip


def show_jobs(made: list[Job], report: Report, colour: bool) -> None:
    """Print every job with its nodes."""
    view = Places.of(report, documents(made))
    parts: list[RenderableType] = [*_folder(view)]
    for job in made:
        parts += [_job(job, view), ""]
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


def _folder(view: Places) -> list[RenderableType]:
    return [Text(f"In {view.text(view.folder)}:", style="dim"), ""] if view.folder else []


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


def _job(job: Job, view: Places) -> RenderableType:
    title = Text(f"Job {job.number}: ", style="bold")
    title.append(view.text(job.title), style="bold")
    title.append(f"  {job.size}", style="dim")
    tree = Tree(title, guide_style="dim")
    if job.facts or job.findings:
        tree.add(_facts(job.facts, job.findings, view))
    for node in job.nodes:
        branch = tree.add(_node_title(node, view))
        branch.add(_facts(node.facts, node.findings, view))
    return tree


def _node_title(node: Node, view: Places) -> Text:
    text = Text(view.text(node.name), style="bold")
    return text.append(f"  {view.text(node.starter)}, {view.show(node.place)}", style="dim")


def _facts(facts: Iterable[Fact], findings: list[Finding], view: Places) -> RenderableType:
    """Rows of name, value and place; under each the findings that stand on it."""
    rows = [(fact, _value(fact, view)) for fact in facts]
    names = max((len(fact.name) for fact, _ in rows), default=0)
    values = max((text.cell_len for _, text in rows), default=0)
    limit = WIDEST_VALUE if sys.stdout.isatty() else values
    left = list(findings)
    parts: list[RenderableType] = []
    for fact, value in rows:
        row = Table.grid(padding=(0, 2, 0, 0))
        row.add_column(style="dim", no_wrap=True, width=names)
        row.add_column(overflow="fold", width=min(values, limit))
        row.add_column(style="dim", overflow="fold")
        row.add_row(fact.name, value, view.show(fact.source or fact.note))
        parts.append(row)
        for finding in [f for f in left if stands_on(f, fact)]:
            left.remove(finding)
            parts.append(Padding(_finding(finding, view), (0, 0, 0, names + 2)))
    parts += [Padding(_finding(finding, view), (0, 0, 0, names + 2)) for finding in left]
    return Group(*parts)


def _value(fact: Fact, view: Places) -> Text:
    value = Text(view.text(fact.value), style=STYLES[fact.state])
    if fact.state == "open":
        value.append("  ?", style="bold yellow")
    if fact.note == "differs":
        value.append("  differs", style="bold red")
    return value


def _finding(finding: Finding, view: Places) -> Text:
    style = SEVERITY[finding.severity.label]
    text = Text(f"{finding.severity.label} {finding.rule.code} ", style=f"bold {style}")
    text.append(view.text(finding.message), style=style)
    return text.append(f"  {_place(finding, view)}", style="dim")


def _place(finding: Finding, view: Places) -> str:
    spot = place(finding.document, finding.span)
    return view.show(f"{spot.path}:{spot.line}")


def show_ports(register: Register, report: Report, colour: bool) -> None:
    """Print the port register."""
    view = Places.of(report, [entry.document for entry in register.entries])
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    for title in ("port", "host", "used as", "job", "where", ""):
        table.add_column(title, overflow="fold")
    for entry in register.entries:
        style = MARKS[entry.mark]
        table.add_row(
            Text(view.text(entry.port), style=style),
            view.text(entry.host),
            entry.use,
            view.text(f"{entry.job.number}: {entry.job.title}"),
            Text(view.show(entry.source), style="dim"),
            Text(view.show(entry.remark), style=style),
        )
    rows: list[RenderableType] = [table, ""] if register.entries else []
    _print([*_folder(view), *rows, Text(register.summary)], colour)
