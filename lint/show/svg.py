"""The jobs as a picture: a box for each node, its processes, the rendezvous, the findings.

Plain SVG 1.1 without scripts, fonts or links, so that it can stand in a pull request.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from cfglint.record import dataclass, field
from cfglint.report.model import Report, place
from cfglint.rule import ERROR, Finding
from cfglint.show.model import Job, Node, documents
from cfglint.show.places import Places

WIDTH = 1000
MARGIN = 28
GAP = 18
LINE = 18
SIGN = 6.7  # the width of an average sign at 12 px
BOXES = 6  # of one job that are drawn; the rest is counted
COLUMNS = 3
SQUARE, SQUARES = 17, 16
NAMES = 96  # the width of a row's name
INK, MUTED, LINE_INK, PAPER, FILL = "#1f2328", "#59636e", "#8c959f", "#ffffff", "#f6f8fa"
OPEN = "#9a6700"
SHADE = {"error": "#cf222e", "warning": "#bc4c00", "info": "#0969da"}
INKS = {"open": OPEN, "differs": SHADE["error"], "default": MUTED, "absent": MUTED}
FONT = "font-family=\"ui-sans-serif, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif\""
# What a box shows of a node, most telling first.
TOLD = (
    "address", "port", "machines", "rendezvous", "node rank", "program", "processes", "network",
    "published port", "NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "CUDA_VISIBLE_DEVICES",
    "shared memory", "ipc", "not seen whole",
)  # fmt: skip

SHORT = {
    "NCCL_SOCKET_IFNAME": "NCCL interface", "GLOO_SOCKET_IFNAME": "Gloo interface",
    "CUDA_VISIBLE_DEVICES": "visible GPUs",
}  # fmt: skip


def render(made: list[Job], report: Report) -> str:
    """One picture of all jobs."""
    view = Places.of(report, documents(made))
    sheet = _Sheet(view)
    if view.folder:
        sheet.text(WIDTH - MARGIN, MARGIN + 8, f"in {view.text(view.folder)}", MUTED, anchor="end")
    for job in made:
        sheet.job(job)
    if not made:
        sheet.text(MARGIN, MARGIN + LINE, "No launch in these files.", MUTED)
        sheet.y = MARGIN + 2 * LINE
    height = round(sheet.y + MARGIN)
    body = "\n".join(sheet.out)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}"'
        f' viewBox="0 0 {WIDTH} {height}" {FONT} font-size="12">\n'
        f"<title>Jobs that these files start</title>\n"
        f'<rect width="{WIDTH}" height="{height}" fill="{PAPER}"/>\n{body}\n</svg>\n'
    )


@dataclass(slots=True)
class _Box:
    """A node as it is drawn: one launch can be drawn several times, as each of its machines."""

    node: Node
    name: str
    first_rank: int | None
    processes: int | None
    open_count: bool = False  # it stands for a number of machines that is not known


class _Row(NamedTuple):
    """A line of a node's box."""

    name: str
    value: str
    state: str
    source: str


@dataclass(slots=True)
class _Sheet:
    """The picture as far as it is drawn: `y` is where the next thing goes."""

    view: Places
    y: float = MARGIN
    out: list[str] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)  # id of a finding -> its number

    # -- a job ---------------------------------------------------------------------------------

    def job(self, job: Job) -> None:
        if job.number > 1:
            self.y += GAP
            self.rule_off()
        self.numbers = {id(f): n for n, f in enumerate(_ordered(job), 1)}
        title = cut(f"Job {job.number}: {self.view.text(job.title)}", 80)
        self.text(MARGIN, self.y + 14, title, INK, size=17, bold=True)
        self.text(MARGIN, self.y + 34, self.view.text(job.size), MUTED, size=13)
        self.y += 50
        meeting = self.rendezvous(job)
        boxes, left = _boxes(job)
        columns = min(COLUMNS, max(len(boxes), 1))
        width = (WIDTH - 2 * MARGIN - (columns - 1) * GAP) / columns
        width = min(width, 460)
        for start in range(0, len(boxes), columns):
            row = boxes[start : start + columns]
            told = [list(self.told(box)) for box in row]
            height = max(_height(box, rows) for box, rows in zip(row, told, strict=True))
            for column, (box, rows) in enumerate(zip(row, told, strict=True)):
                x = MARGIN + column * (width + GAP)
                if start == 0 and meeting is not None:
                    self.wire(meeting, (x + width / 2, self.y), box.node)
                self.box(x, self.y, width, height, box, rows)
            self.y += height + GAP
        if left:
            self.text(MARGIN, self.y + 4, f"and {left} more of the same", MUTED, size=13)
            self.y += LINE + 6
        self.legend(job)

    def rendezvous(self, job: Job) -> tuple[float, float] | None:
        """The pill that says where the processes meet; where its wires begin."""
        facts = {fact.name: fact for fact in job.facts}
        parts = [facts[n] for n in ("rendezvous", "address", "endpoint", "port") if n in facts]
        if not parts:
            return None
        shown = [
            f"{fact.name} {self.view.text(fact.value)}{' ?' if fact.state == 'open' else ''}"
            for fact in parts
        ]
        label = cut("  \u00b7  ".join(shown), 120)
        width = min(max(_width(label) * 1.05 + 40, 220), WIDTH - 2 * MARGIN)
        x = MARGIN
        marks = [f for f in _ordered(job) if f in job.findings]
        bad = any(f.severity == ERROR for f in marks)
        stroke = SHADE["error"] if bad else LINE_INK
        self.rect(x, self.y, width, 30, stroke, FILL, radius=15)
        self.text(
            x + 18, self.y + 19, label, OPEN if any(f.state == "open" for f in parts) else INK
        )
        self.badges(x + width + 6, self.y + 5, marks)
        sources = list(dict.fromkeys(f.source or f.note for f in parts if f.source or f.note))
        room = WIDTH - 2 * MARGIN - width - 24 * len(marks) - 16
        said = cut(", ".join(map(self.view.show, sources)), int(room / SIGN))
        self.text(x + width + 12 + 24 * len(marks), self.y + 19, said, MUTED, size=11)
        meeting = (x + width / 2, self.y + 30)
        self.y += 30 + 40
        return meeting

    def wire(self, start: tuple[float, float], end: tuple[float, float], node: Node) -> None:
        """The line from the rendezvous to a node; broken and red where the node dials elsewhere."""
        apart = any(
            f.note == "differs" and f.name in ("address", "port", "endpoint") for f in node.facts
        )
        style = (
            f'stroke="{SHADE["error"]}" stroke-dasharray="5 4"' if apart else f'stroke="{LINE_INK}"'
        )
        middle = (start[1] + end[1]) / 2
        self.out.append(
            f'<path d="M{start[0]:.1f} {start[1]:.1f} V{middle:.1f} H{end[0]:.1f} V{end[1]:.1f}"'
            f' fill="none" stroke-width="1.4" {style}/>'
        )

    # -- a node --------------------------------------------------------------------------------

    def box(
        self, x: float, y: float, width: float, height: float, box: _Box, rows: list[_Row]
    ) -> None:
        node = box.node
        marks = sorted(node.findings, key=lambda f: self.numbers[id(f)])[:6]
        bad = any(f.severity == ERROR for f in node.findings)
        if box.open_count:
            for shift in (8, 4):
                self.rect(x + shift, y - shift, width - shift, height, LINE_INK, PAPER)
        self.rect(x, y, width, height, SHADE["error"] if bad else LINE_INK, PAPER)
        self.text(x + 14, y + 22, cut(box.name, int(width / 9)), INK, size=14, bold=True)
        self.badges(x + width - 8 - 24 * len(marks), y + 8, marks)
        spot = f"{self.view.text(node.starter)}, {self.view.show(node.place)}"
        self.text(x + 14, y + 40, cut(spot, int((width - 28) / SIGN)), MUTED, size=11)
        at = self.squares(x + 14, y + 52, width, box)
        for row in rows:
            at += LINE
            self.row(x + 14, at - 4, width - 28, row)
        if node.launch.container is not None:
            # A container is a box in the box.
            self.out.append(
                f'<rect x="{x + 5:.1f}" y="{y + 46:.1f}" width="{width - 10:.1f}"'
                f' height="{height - 51:.1f}" rx="5" fill="none" stroke="{LINE_INK}"'
                f' stroke-dasharray="2 3"/>'
            )

    def told(self, box: _Box) -> Iterator[_Row]:
        """The rows of a node's box."""
        show = self.view.text
        for fact in (f for name in TOLD for f in box.node.facts if f.name == name):
            value = fact.value
            if fact.name == "node rank" and fact.state in ("absent", "default"):
                value = "each machine its own"
            state = "differs" if fact.note == "differs" else fact.state
            name = SHORT.get(fact.name, fact.name)
            yield _Row(name, show(value), state, self.view.show(fact.source or fact.note))
        container = box.node.launch.container
        if container is not None:
            name = f"{container.name} {container.image}".strip()
            yield _Row("container", show(name), "known", "")

    def row(self, x: float, y: float, width: float, row: _Row) -> None:
        room = width - NAMES
        said = cut(row.source, max(int(room * 0.42 / 5.9), 8))
        free = int((room - len(said) * 5.9 - 10) / SIGN)
        value = cut(row.value, max(free, 6)) + (" ?" if row.state == "open" else "")
        self.text(x, y, row.name, MUTED, size=11)
        self.text(x + NAMES, y, value, INKS.get(row.state, INK))
        self.text(x + width, y, said, MUTED, size=10, anchor="end")

    def squares(self, x: float, y: float, width: float, box: _Box) -> float:
        """A square for each process, with its rank where that is known."""
        count = box.processes
        if not count:
            return y
        shown = min(count, SQUARES, int((width - 60) / (SQUARE + 3)))
        for index in range(shown):
            left = x + index * (SQUARE + 3)
            self.rect(left, y, SQUARE, SQUARE, LINE_INK, "#ddf4ff", radius=3)
            if box.first_rank is not None and box.first_rank + index < 1000:
                rank = str(box.first_rank + index)
                size = 9 if len(rank) < 3 else 7
                self.text(left + SQUARE / 2, y + 12, rank, INK, size, anchor="middle")
        if shown < count:
            self.text(x + shown * (SQUARE + 3) + 4, y + 13, f"+{count - shown}", MUTED, size=11)
        return y + SQUARE + 10

    # -- findings ------------------------------------------------------------------------------

    def badges(self, x: float, y: float, findings: list[Finding]) -> None:
        for index, finding in enumerate(findings):
            middle = x + 10 + 24 * index
            shade = SHADE[finding.severity.label]
            self.out.append(f'<circle cx="{middle:.1f}" cy="{y + 10:.1f}" r="10" fill="{shade}"/>')
            number = str(self.numbers[id(finding)])
            self.text(middle, y + 14, number, PAPER, size=11, bold=True, anchor="middle")

    def legend(self, job: Job) -> None:
        """Every finding of the job with its number, message and place."""
        for finding in _ordered(job):
            self.badges(MARGIN, self.y - 2, [finding])
            spot = place(finding.document, finding.span)
            head = f"{finding.severity.label} {finding.rule.code}"
            self.text(MARGIN + 30, self.y + 12, head, SHADE[finding.severity.label], bold=True)
            where = self.view.show(f"{spot.path}:{spot.line}")
            message = f"{self.view.text(finding.message)} ({where})"
            lines = textwrap.wrap(message, 116) or [""]
            for line in lines:
                self.text(MARGIN + 165, self.y + 12, line, INK)
                self.y += LINE
            self.y += 6

    # -- strokes -------------------------------------------------------------------------------

    def rule_off(self) -> None:
        self.out.append(f'<path d="M{MARGIN} {self.y:.1f} H{WIDTH - MARGIN}" stroke="#d1d9e0"/>')
        self.y += GAP

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        stroke: str,
        fill: str,
        radius: int = 7,
    ) -> None:
        self.out.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
            f' rx="{radius}" fill="{fill}" stroke="{stroke}" stroke-width="1.4"/>'
        )

    def text(
        self,
        x: float,
        y: float,
        words: str,
        fill: str,
        size: int = 12,
        bold: bool = False,
        anchor: str = "start",
    ) -> None:
        weight = ' font-weight="600"' if bold else ""
        where = f" text-anchor={quoteattr(anchor)}" if anchor != "start" else ""
        self.out.append(
            f'<text x="{x:.1f}" y="{y:.1f}" fill="{fill}" font-size="{size}"{weight}{where}>'
            f"{escape(words)}</text>"
        )


def _boxes(job: Job) -> tuple[list[_Box], int]:
    """What is drawn of a job's nodes, and how many more there are."""
    node = job.nodes[0]
    each = node.per_node
    if len(job.nodes) > 1:
        known = _ranks_known(job)
        counts = [one.per_node or 0 for one in job.nodes]
        boxes = [
            _Box(one, one.name, sum(counts[:index]) if known else None, one.per_node)
            for index, one in enumerate(job.nodes)
        ]
    elif job.hosts:
        slots = [min(host.slots, each or host.slots) for host in job.hosts]
        boxes = [
            _Box(node, host.name, sum(slots[:index]), slots[index])
            for index, host in enumerate(job.hosts)
        ]
    elif job.machines is None:
        boxes = [_Box(node, f"{node.name} (how many is open)", None, each, open_count=True)]
    elif job.machines == 1:
        boxes = [_Box(node, node.name, 0, each)]
    elif node.rank is not None:
        # One node's own file: the others are not here.
        name = f"node {node.rank} of {job.machines}, {job.machines - 1} not in these files"
        boxes = [_Box(node, name, node.rank * each if each else None, each)]
    else:
        boxes = [
            _Box(node, f"node {index}", index * each if each else None, each)
            for index in range(min(job.machines, BOXES + 1))
        ]
        if len(boxes) > BOXES:
            return boxes[:COLUMNS], job.machines - COLUMNS
    return boxes[:BOXES], max(len(boxes) - BOXES, 0)


def _height(box: _Box, rows: list[_Row]) -> float:
    return 62 + LINE * len(rows) + (SQUARE + 10 if box.processes else 0)


def _ranks_known(job: Job) -> bool:
    ranks = [node.rank for node in job.nodes]
    return ranks == list(range(len(ranks))) and all(node.per_node for node in job.nodes)


def _ordered(job: Job) -> list[Finding]:
    """The findings of a job, the gravest first."""
    return sorted(
        job.all_findings, key=lambda f: (-f.severity, f.document.path, f.span, f.rule.code)
    )


def _width(words: str) -> float:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in words) * SIGN


def cut(words: str, longest: int) -> str:
    """The words, their end left out where they are longer than a number of signs."""
    words = " ".join(words.split())
    return words if len(words) <= longest else words[: max(longest - 3, 1)].rstrip() + "..."


__all__ = ["cut", "render"]
