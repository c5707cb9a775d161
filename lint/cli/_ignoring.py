"""`--add-ignores`: a comment for every finding that is left, where a comment can stand.

In YAML it goes to the end of the line, or around a value of several lines; in shell and Dockerfiles
above the statement. JSON, env files and others take no comments that all their readers accept: for
these the lines for `per-file-ignores` are printed. A file is written only if its data stay what
they were and the findings are gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from cfglint.adoption import suppressions
from cfglint.adoption.suppressions import Suppression
from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.tree import Scalar, walk
from cfglint.record import dataclass, field
from cfglint.result import Result
from cfglint.rule import Finding
from cfglint.text import SourceText, Span

if TYPE_CHECKING:
    from cfglint.cli._running import Run

REASON = "TODO: say why"
YAML = ("accelerate", "llamafactory", "compose", "kubernetes", "workflow")
ABOVE = ("script", "slurm", "dockerfile", "hostfile")
Codes = dict[int, set[str]]


@dataclass(slots=True)
class Added:
    """What was written: messages for people, and why files were not written."""

    messages: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def add_ignores(run: Run, result: Result, reason: str = "") -> Added:
    """Write a comment for every finding of a result, with a reason."""
    from cfglint.fixing.fixer import Fixed

    added = Added()
    reason = " ".join(reason.split()) or REASON
    groups: dict[str, list[Finding]] = {}
    for finding in result.findings:
        if finding.rule.family != "META":
            groups.setdefault(finding.document.path, []).append(finding)
    texts: dict[str, bytes] = {}
    for path, group in groups.items():
        text = _commented(group[0].document, group, reason)
        if text is not None:
            texts[path] = group[0].document.source.encode(text)
    after = run.lint(texts)
    texts = {path: data for path, data in texts.items() if _is_quiet(path, after)}
    if run.options.diff:
        from cfglint.report.diff import unified
        from cfglint.report.model import Report

        added.messages.append(unified(Report(result), result, texts).rstrip("\n"))
        return added
    fixed = Fixed(result, after, dict(texts))
    added.problems = run.session.write(fixed)
    written = fixed.texts
    count = sum(len(groups[path]) for path in written)
    added.messages.append(
        f"Wrote comments for {count} finding{'s' * (count != 1)} in {len(written)}"
        f" file{'s' * (len(written) != 1)}."
    )
    left = {path: group for path, group in groups.items() if path not in texts}
    if left:
        added.messages += ["No comment can stand in these files; for the settings:", ""]
        added.messages += _settings(run, left)
    return added


def _is_quiet(path: str, after: Result) -> bool:
    return not any(f.document.path == path and f.rule.family != "META" for f in after.findings)


def _settings(run: Run, left: dict[str, list[Finding]]) -> Iterator[str]:
    """The lines of a `per-file-ignores` table, as they can be pasted."""
    import json

    from cfglint.adoption.fingerprint import path_under

    source = run.settings.source
    inside = source is not None and source.name == "pyproject.toml"
    yield "[tool.cfglint.per-file-ignores]" if inside else "[per-file-ignores]"
    for group in left.values():
        path = path_under(run.settings.root, group[0].document.file)
        codes = sorted({finding.rule.code for finding in group})
        yield f"{json.dumps(path)} = {json.dumps(codes)}"


def _commented(document: Document, findings: list[Finding], reason: str) -> str | None:
    """The document's text with comments for the findings, None where none can stand."""
    from cfglint.fixing.witness import RefusedError, splice

    if document.kind in YAML and type(document.tree).__name__ == "YamlFile":
        edits = _in_yaml(document, findings, reason)
    elif document.kind in ABOVE:
        edits = _above(document, findings, reason)
    else:
        return None
    try:
        text = splice(document.source.text, edits)
    except RefusedError:
        return None
    return text if _is_same(document, text, edits) else None


def _is_same(document: Document, text: str, edits: list[Edit]) -> bool:
    """Whether a file with comments says what it said without them."""
    old = document.source.text
    if document.kind in YAML:
        from cfglint.fixing.witness import RefusedError, ruamel_data
        from cfglint.model.tree import to_data
        from cfglint.syntax import yaml

        new = yaml.parse(SourceText(text))
        if new.problems:
            return False
        try:
            mine = list(map(to_data, document.roots)) == list(map(to_data, new.roots))
            return mine and ruamel_data(old) == ruamel_data(text)
        except (ValueError, RefusedError):
            return False
    if document.kind == "dockerfile":
        from cfglint.syntax import dockerfile

        after = dockerfile.parse(SourceText(text)).instructions
        before = document.tree.instructions
        return [i.text for i in after] == [i.text for i in before]
    if document.kind in ("script", "slurm"):
        from cfglint.fixing.tokens import tokens

        written = {edit.text.strip() for edit in edits}
        return [t for _, t in tokens("script", text)[0] if t.strip() not in written] == [
            t for _, t in tokens("script", old)[0] if t.strip() not in written
        ]
    return True


# -- places ------------------------------------------------------------------------------------


def _by_line(document: Document, findings: Iterable[Finding]) -> Codes:
    lines: Codes = {}
    for finding in findings:
        line = document.source.position(finding.span.start)[0]
        lines.setdefault(line, set()).add(finding.rule.code)
    return lines


def _comment(word: str, codes: set[str], reason: str) -> str:
    return f"# cfglint: {word}[{', '.join(sorted(codes))}] -- {reason}"


def _extended(document: Document, lines: Codes) -> Iterator[Edit]:
    """Edits that add codes to comments which are there already; takes their lines out."""
    for one in suppressions.find(document):
        if one.word in ("ignore", "ignore-next-line") and one.rules and one.first in lines:
            yield _more(document, one, lines.pop(one.first))


def _more(document: Document, one: Suppression, codes: set[str]) -> Edit:
    text = document.source.slice(one.span)
    close = one.span.start + text.index("]")
    fresh = "".join(f", {code}" for code in sorted(codes - set(one.rules)))
    return Edit(document.path, Span(close, close), fresh)


def _in_yaml(document: Document, findings: list[Finding], reason: str) -> list[Edit]:
    source = document.source
    scalars = [n for root in document.roots for n in walk(root) if isinstance(n, Scalar)]
    long = [s for s in scalars if "\n" in source.text[s.start : s.end].rstrip("\n")]
    lines = _by_line(document, findings)
    edits = list(_extended(document, lines))
    blocks: dict[int, tuple[Scalar, set[str]]] = {}
    for line, codes in sorted(lines.items()):
        end = source.line_span(line).end
        around = next((s for s in long if source.line_of(s.start).start <= end < s.end), None)
        if around is not None:
            blocks.setdefault(around.start, (around, set()))[1].update(codes)
        else:
            kept = len(source.text[:end].rstrip(" \t"))
            comment = f"  {_comment('ignore', codes, reason)}"
            edits.append(Edit(document.path, Span(kept, end), comment))
    for scalar, codes in blocks.values():
        first = source.position(scalar.start)[0]
        last = source.position(max(scalar.start, len(source.text[: scalar.end].rstrip()) - 1))[0]
        edits += _block(document, first, last, codes, reason)
    return edits


def _block(
    document: Document, first: int, last: int, codes: set[str], reason: str
) -> Iterator[Edit]:
    """Edits that put `ignore-begin` above a line and `ignore-end` below another."""
    source = document.source
    start = source.line_span(first).start
    text = source.slice(source.line_span(first))
    indent = text[: len(text) - len(text.lstrip())]
    newline = source.newline
    begin = f"{indent}{_comment('ignore-begin', codes, reason)}{newline}"
    yield Edit(document.path, Span(start, start), begin)
    end = source.line_end_after(source.line_span(last).start)
    missing = "" if source.text[:end].endswith(("\n", "\r")) else newline
    close = f"{missing}{indent}# cfglint: ignore-end[{', '.join(sorted(codes))}]{newline}"
    yield Edit(document.path, Span(end, end), close)


def _above(document: Document, findings: list[Finding], reason: str) -> list[Edit]:
    source = document.source
    lines = _by_line(document, findings)
    edits = list(_extended(document, lines))
    statements: dict[tuple[int, int], set[str]] = {}
    for line, codes in lines.items():
        statements.setdefault(_statement(document, line), set()).update(codes)
    for (first, last), codes in sorted(statements.items()):
        if last:
            edits += _block(document, first, last, codes, reason)
            continue
        start = source.line_span(first).start
        text = source.slice(source.line_span(first))
        indent = text[: len(text) - len(text.lstrip())]
        comment = f"{indent}{_comment('ignore', codes, reason)}{source.newline}"
        edits.append(Edit(document.path, Span(start, start), comment))
    return edits


def _statement(document: Document, line: int) -> tuple[int, int]:
    """The first line of the statement on a line, and its last where a comment above is too little
    (a heredoc), 0 else."""
    source = document.source
    if document.kind == "dockerfile":
        offset = source.line_span(line).start
        for one in document.tree.instructions:
            if one.lines.start <= offset < max(one.lines.end, one.lines.start + 1):
                first = source.position(one.lines.start)[0]
                if one.heredocs:
                    return first, source.position(max(one.lines.start, one.lines.end - 1))[0]
                return first, 0
    while line > 1 and source.slice(source.line_span(line - 1)).endswith("\\"):
        line -= 1
    return line, 0
