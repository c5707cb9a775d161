"""Applying fixes: chosen, proven, and written all or nothing.

Round by round: of the findings left, every fix that may be applied and does not overlap a better
one is spliced in memory and proven (`cfglint.witness`). Then the new texts are linted as one
project: a fix whose finding is still there, or that brings a new error, is dropped and its finding
keeps the reason. Nothing is written before the last round is quiet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from cfglint.document import Document
from cfglint.edit import Edit, Fix
from cfglint.engine import Result
from cfglint.rule import ERROR, Finding
from cfglint.witness import RefusedError, check

ROUNDS = 12

Lint = Callable[[dict[str, bytes]], Result]
Key = tuple[str, str, str]  # path, code, message


@dataclass(slots=True)
class Fixed:
    """What fixing came to.

    `result` is the run over the new texts; `texts` the new bytes by report path (changed files
    only); `applied` the titles of the fixes made; `refused` why others were not, by finding.
    """

    result: Result
    texts: dict[str, bytes] = field(default_factory=dict)
    applied: list[tuple[Finding, Fix]] = field(default_factory=list)
    refused: dict[Key, str] = field(default_factory=dict)


def key(finding: Finding) -> Key:
    """What identifies a finding while lines move."""
    return (finding.document.path, finding.rule.code, finding.message)


def fix(first: Result, lint: Lint, unsafe: bool) -> Fixed:
    """Apply every fix that may be applied to the findings of a first run.

    `lint` runs the project again over given texts. `unsafe` admits unsafe fixes too.
    """
    state = Fixed(first)
    for _ in range(ROUNDS):
        chosen = _choose(state, unsafe)
        if not chosen or not _round(state, chosen, lint):
            break
    for finding in state.result.findings:
        reason = state.refused.get(key(finding))
        if reason and finding.fix is not None:
            finding.no_fix = reason
            finding.fix = None
    return state


def _choose(state: Fixed, unsafe: bool) -> list[tuple[Finding, Fix]]:
    """The fixes of one round: safe before unsafe, then by severity; none that overlaps a better."""
    candidates = [
        (finding, finding.fix)
        for finding in state.result.findings
        if finding.fix is not None
        and (finding.fix.safe or unsafe)
        and key(finding) not in state.refused
    ]
    candidates.sort(key=lambda c: (not c[1].safe, -c[0].severity))
    taken: dict[str, list[Edit]] = {}
    chosen = []
    for finding, one in candidates:
        if any(_overlaps(edit, taken.get(edit.path, [])) for edit in one.edits):
            continue
        chosen.append((finding, one))
        for edit in one.edits:
            taken.setdefault(edit.path, []).append(edit)
    return chosen


def _overlaps(edit: Edit, others: list[Edit]) -> bool:
    return any(
        edit.span.start <= other.span.end and other.span.start <= edit.span.end for other in others
    )


def _round(state: Fixed, chosen: list[tuple[Finding, Fix]], lint: Lint) -> bool:
    """Apply a round. Whether anything changed (a fix was made, or one was refused for good)."""
    documents = {d.path: d for d in state.result.project.documents}
    chosen = [c for c in chosen if _proves(state, c, documents)]
    while chosen:
        texts = dict(state.texts)
        try:
            texts.update(_apply([fix for _, fix in chosen], documents))
        except RefusedError as problem:
            # Each fix is right on its own, but not beside the others: one at a time then.
            if len(chosen) == 1:
                state.refused[key(chosen[0][0])] = str(problem)
                return True
            chosen = chosen[:1]
            continue
        after = lint(texts)
        guilty = _guilty(state.result, after, chosen)
        if not guilty:
            state.result = after
            state.texts = texts
            state.applied.extend(chosen)
            return True
        for finding, reason in guilty:
            state.refused[key(finding)] = reason
        bad = {id(finding) for finding, _ in guilty}
        chosen = [c for c in chosen if id(c[0]) not in bad]
    return False


def _proves(
    state: Fixed, choice: tuple[Finding, Fix], documents: dict[str, Document]
) -> bool:
    finding, one = choice
    try:
        _apply([one], documents)
    except RefusedError as problem:
        state.refused[key(finding)] = str(problem)
        return False
    return True


def _apply(fixes: list[Fix], documents: dict[str, Document]) -> dict[str, bytes]:
    by_path: dict[str, list[Edit]] = {}
    for one in fixes:
        for edit in one.edits:
            edits = by_path.setdefault(edit.path, [])
            if edit not in edits:
                edits.append(edit)
    texts = {}
    for path, edits in by_path.items():
        document = documents.get(path)
        if document is None or not document.given:
            raise RefusedError(f"{path} is not among the files given")
        texts[path] = document.source.encode(check(document, edits))
    return texts


def _guilty(
    before: Result, after: Result, chosen: list[tuple[Finding, Fix]]
) -> list[tuple[Finding, str]]:
    """The fixes after which their finding is still there, or a new error stands in their file."""
    old = Counter((f.document.path, f.rule.code) for f in before.findings)
    new = Counter((f.document.path, f.rule.code) for f in after.findings)
    expected = Counter((f.document.path, f.rule.code) for f, _ in chosen)
    still = {key(f) for f in after.findings}
    guilty = [
        (finding, "the finding would still be there")
        for finding, _ in chosen
        if new[finding.document.path, finding.rule.code]
        > old[finding.document.path, finding.rule.code]
        - expected[finding.document.path, finding.rule.code]
        and key(finding) in still
    ]
    if guilty:
        return guilty
    errors = {
        (f.document.path, f.rule.code): f for f in after.findings if f.severity == ERROR
    }
    fresh = {path: f for (path, code), f in errors.items() if not old[path, code]}
    return [
        (finding, f"it would bring {fresh[path].rule.code} {fresh[path].rule.name}")
        for finding, one in chosen
        for path in {edit.path for edit in one.edits} & fresh.keys()
    ]
