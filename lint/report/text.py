"""The reports for people: `full` with the source line and the span underlined, and `concise`."""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.record import dataclass
from cfglint.report.model import Place, Report, place
from cfglint.rule import ERROR, INFO, WARNING, Finding
from cfglint.wording import many

COLOURS = {"error": "31", "warning": "33", "info": "36"}
WIDTH = 160  # of a shown source line; longer ones are cut around the span


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours, or none."""

    on: bool = False

    def __call__(self, text: str, *codes: str) -> str:
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.on and text else text


def severity_colour(label: str) -> str:
    """The colour of a severity, as the code of the terminal's escape sequence."""
    return COLOURS[label]


def concise(report: Report) -> str:
    """One line for each finding, and the summary."""
    paint = Paint(report.colour)
    lines = []
    for finding in report.findings:
        where = place(finding.document, finding.span)
        spot = f"{report.line_of(where.path)}:{where.line}:{where.column}:"
        label = finding.severity.label
        lines.append(
            f"{spot} {paint(label, COLOURS[label], '1')} {finding.rule.code} {finding.rule.name}:"
            f" {report.line_of(finding.message)}{_mark(finding)}"
        )
    return report.diff + _joined(report, lines, "\n", paint)


def full(report: Report) -> str:
    """Each finding with its source line, cause and repair, and the summary."""
    paint = Paint(report.colour)
    blocks = ["\n".join(_block(report, finding, paint)) for finding in report.findings]
    return report.diff + _joined(report, blocks, "\n\n", paint)


def _joined(report: Report, parts: list[str], between: str, paint: Paint) -> str:
    if not report.quiet:
        parts = [*parts, summary(report, paint)]
    text = between.join(parts) + "\n" if parts else ""
    return f"\n{text}" if report.diff and text else text


def _mark(finding: Finding) -> str:
    if finding.fix is None:
        return ""
    return " [fix]" if finding.fix.safe else " [unsafe fix]"


def _block(report: Report, finding: Finding, paint: Paint) -> Iterator[str]:
    where = place(finding.document, finding.span)
    label = finding.severity.label
    if finding.fix is not None:
        safety = "fix" if finding.fix.safe else "unsafe fix"
        repair = f"[{safety}: {report.line_of(finding.fix.title)}]"
    else:
        repair = "[no automatic fix]"
    yield (
        f"{paint(report.line_of(where.path), '1')}:{where.line}:{where.column}:"
        f" {paint(label, COLOURS[label], '1')} {paint(finding.rule.code, '1')} {finding.rule.name}"
        f" {paint(repair, '2')}"
    )
    yield from _snippet(report, finding, where, paint)
    gutter = " " * len(str(where.line))
    for text in (finding.cause, finding.help):
        if text:
            head, *rest = report.text(text).split("\n")
            yield f"{gutter} {paint('=', '34')} {head}"
            yield from (f"{gutter}   {line.strip()}" for line in rest)
    for related in finding.related:
        spot = place(related.document, related.span)
        yield (
            f"{gutter} {paint('-', '34')} {report.line_of(spot.path)}:{spot.line}:{spot.column}:"
            f" {report.line_of(related.message)}"
        )
    if finding.no_fix:
        yield f"{gutter} {paint('=', '34')} not fixed: {report.line_of(finding.no_fix)}"


def _snippet(report: Report, finding: Finding, where: Place, paint: Paint) -> Iterator[str]:
    number = str(where.line)
    gutter = " " * len(number)
    bar = paint("|", "34")
    if not finding.document.readable:  # there is no line to show
        message = paint(report.line_of(finding.message), COLOURS[finding.severity.label])
        yield f"{gutter} {bar} {message}"
        return
    line = report.line(finding.document, where.line)
    start = where.column - 1
    end = where.end_column - 1 if where.end_line == where.line else len(line)
    end = max(end, start + 1)
    if len(line) > WIDTH:
        low = max(0, min(start - 20, len(line) - WIDTH))
        shown, cut = line[low : low + WIDTH], low
        line = ("..." if low else "") + shown + ("..." if low + WIDTH < len(line) else "")
        shift = 3 if low else 0
        start, end = start - cut + shift, min(end - cut + shift, len(line))
    # What is shown can be longer than the source where control characters are spelled out.
    before, marked = report.text(line[:start]), report.text(line[start:end])
    pad = " " * _cells(before)
    carets = "^" * max(1, _cells(marked))
    yield f"{gutter} {bar}"
    yield f"{paint(number, '34')} {bar} {report.text(line)}".rstrip()
    colour = COLOURS[finding.severity.label]
    yield f"{gutter} {bar} {pad}{paint(f'{carets} {report.line_of(finding.message)}', colour)}"


def _cells(text: str) -> int:
    """How many terminal cells a text takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def summary(report: Report, paint: Paint | None = None) -> str:
    """The last line: how many of what, in how many files, and what --fix would do."""
    paint = paint or Paint()
    documents = report.given
    configs = sum(1 for d in documents if d.kind is not None)
    files = f"{many(len(documents), 'file')} ({configs} of them configs)"
    fixed = ""
    if report.fixed is not None and report.fixed.applied:
        count = len(report.fixed.applied)
        word = "Would fix" if report.diff else "Fixed"
        in_files = many(len(report.fixed.texts), "file")
        fixed = f"{word} {count} finding{'s' * (count != 1)} in {in_files}. "
    tail = ""
    if report.unread:
        tail = f" {many(len(report.unread), 'file')} could not be read."
    if report.result.baselined:
        tail += f" {len(report.result.baselined)} more in the baseline."
    if report.result.elsewhere:
        since = report.line_of(report.since)
        tail += f" {report.result.elsewhere} more outside of what changed since {since}."
    counts = [
        many(report.count(severity), severity.label)
        for severity in (ERROR, WARNING)
        if report.count(severity)
    ]
    infos = report.count(INFO)
    if infos:
        counts.append(f"{infos} info")
    if not counts:
        if not configs:
            where = f" in {many(len(documents), 'file')}" if documents else ""
            return f"{fixed}{paint('No configs found', '33', '1')}{where}.{tail}"
        return f"{fixed}{paint('No problems found', '32', '1')} in {files}.{tail}"
    safe = sum(1 for f in report.findings if f.fix is not None and f.fix.safe)
    unsafe = sum(1 for f in report.findings if f.fix is not None and not f.fix.safe)
    can = []
    if safe:
        can.append(f"{safe} can be repaired with --fix")
    if unsafe:
        more = "more with" if safe else "can be repaired with --fix"
        can.append(f"{unsafe} {more} --unsafe-fixes")
    repair = f" {', '.join(can)}." if can else ""
    found = " and ".join([", ".join(counts[:-1]), counts[-1]] if len(counts) > 1 else counts)
    return f"{fixed}Found {found} in {files}.{repair}{tail}"
