"""Applying fixes: chosen, proven, and written all or nothing.

Round by round: of the findings left, every fix that may be applied and does not overlap a better
one is spliced in memory and proven (`cfglint.fixing.witness`). Then the new texts are linted as one
project: a fix whose finding is still there, or that brings a new error anywhere, is dropped and its
finding keeps the reason. Nothing is written before the last round is quiet.

Fixes that let a text be read as it is meant have rounds of their own, before all others: what is
said of a command that was cut in two speaks of something else, and the errors that appear once it
is whole were there before. Of these, only an error in reading a text speaks against such a fix.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from cfglint.fixing.spans import Shift, Taken
from cfglint.fixing.witness import RefusedError, check
from cfglint.model.document import Document
from cfglint.model.edit import Edit, Fix
from cfglint.patterns import lazy
from cfglint.record import dataclass, field
from cfglint.result import Result
from cfglint.rule import ERROR, Finding
from cfglint.text import Span

ROUNDS = 100  # each makes or refuses at least one fix; a file wants one round for each at one place

Lint = Callable[[dict[str, bytes]], Result]
Key = tuple[str, str, str]  # path, code, message


@dataclass(slots=True)
class Fixed:
    """What fixing came to.

    `before` is the first run, `result` the run over the new texts; `texts` holds the new bytes by
    report path (changed files only), `applied` the fixes made, `refused` why others were not, by
    finding.
    """

    before: Result
    result: Result
    texts: dict[str, bytes] = field(default_factory=dict)
    applied: list[tuple[Finding, Fix]] = field(default_factory=list)
    refused: dict[Key, str] = field(default_factory=dict)
    # How many fixes were made when each was refused: later ones may clear the way for it.
    since: dict[Key, int] = field(default_factory=dict)

    def refuse(self, finding: Finding, reason: str) -> None:
        """Leave a finding's fix out, as things are."""
        self.refused[key(finding)] = reason
        self.since[key(finding)] = len(self.applied)

    def take_back(self, paths: list[str]) -> None:
        """Forget the new texts of a group of files, and the fixes that made them."""
        for path in paths:
            del self.texts[path]
        self.applied = [
            (finding, one)
            for finding, one in self.applied
            if not any(edit.path in paths for edit in one.edits)
        ]

    def groups(self) -> list[list[str]]:
        """The changed files, those that one fix touches in one group."""
        groups: list[set[str]] = [{path} for path in self.texts]
        for _, one in self.applied:
            touched = {edit.path for edit in one.edits}
            joined = touched.union(*(g for g in groups if g & touched))
            groups = [joined, *(g for g in groups if not g & touched)]
        return sorted(sorted(g) for g in groups)


def key(finding: Finding) -> Key:
    """What identifies a finding while lines move."""
    return (finding.document.path, finding.rule.code, finding.message)


def fix(first: Result, lint: Lint, unsafe: bool) -> Fixed:
    """Apply every fix that may be applied to the findings of a first run.

    `lint` runs the project again over given texts. `unsafe` admits unsafe fixes too.
    """
    state = Fixed(first, first)
    history = [(first, state.texts, 0)]
    for _ in range(ROUNDS):
        chosen = _choose(state, unsafe)
        if not chosen:
            if _reconsider(state):
                continue
            break
        before = state.texts
        _round(state, chosen, lint)
        if state.texts is not before:
            _turn_back(state, history)
            history.append((state.result, state.texts, len(state.applied)))
    for finding in state.result.findings:
        reason = state.refused.get(key(finding))
        if reason and finding.fix is not None:
            finding.no_fix = reason
            finding.fix = None
    return state


def _reconsider(state: Fixed) -> bool:
    """Let fixes be tried again that were refused before others were made."""
    again = [one for one, count in state.since.items() if count < len(state.applied)]
    for one in again:
        state.refused.pop(one, None)
        del state.since[one]
    return bool(again)


def _turn_back(state: Fixed, history: list[tuple[Result, dict[str, bytes], int]]) -> None:
    """Where the texts are as they were once before, give up the fixes that led in a circle.

    Fixes that undo each other would change the file on every run.
    """
    for result, texts, count in history:
        if texts == state.texts:
            for finding, _ in state.applied[count:]:
                state.refused[key(finding)] = "another fix would undo it"
            state.result, state.texts = result, texts
            del state.applied[count:]
            return


def _choose(state: Fixed, unsafe: bool) -> list[tuple[Finding, Fix]]:
    """The fixes of one round: safe before unsafe, then by severity; none that overlaps a better.

    Those that let a text be read come alone.
    """
    candidates = [
        (finding, finding.fix)
        for finding in state.result.findings
        if finding.fix is not None
        and (finding.fix.safe or unsafe)
        and key(finding) not in state.refused
    ]
    candidates = [c for c in candidates if _lets_read(c[0])] or candidates
    candidates.sort(key=lambda c: (not c[1].safe, -c[0].severity))
    taken: dict[str, Taken] = {}
    chosen = []
    for finding, one in candidates:
        if any(_overlaps(edit, taken[edit.path]) for edit in one.edits if edit.path in taken):
            continue
        chosen.append((finding, one))
        for edit in one.edits:
            taken.setdefault(edit.path, Taken()).add(edit)
    return chosen


def _lets_read(finding: Finding) -> bool:
    """Whether a finding says that its file's text is not read as it is meant."""
    return any(problem.code == finding.rule.code for problem in finding.document.problems)


def _overlaps(edit: Edit, taken: Taken) -> bool:
    """Whether an edit shares text with others, or an insertion a place.

    Lines that stand one below the other go together, and so do whole lines put at one place, unless
    they set the same name.
    """
    start, end = edit.span
    for other in taken.near(edit.span):
        if start < other.span.end and other.span.start < end:
            return True
        touches = start <= other.span.end and other.span.start <= end
        inserts = start == end or other.span.start == other.span.end
        if touches and inserts and not _both_lines(edit, other):
            return True
    return False


def _both_lines(edit: Edit, other: Edit) -> bool:
    if not (edit.text.endswith("\n") and other.text.endswith("\n")):
        return False
    names = [_NAME.match(one.text) for one in (edit, other)]
    return edit.span == other.span and (
        None in names or len({name[1] for name in names if name}) == 2
    )


# What an inserted line sets.
_NAME = lazy(r"\s*(?:export\s+)?([\w.-]+)\s*[=:]")


def _round(state: Fixed, chosen: list[tuple[Finding, Fix]], lint: Lint) -> None:
    """Make as many of the chosen fixes as hold together; each of the others is refused or waits."""
    documents = {d.path: d for d in state.result.project.documents}
    chosen, proven = _proven(state, chosen, documents)
    while chosen:
        try:
            new = _apply([fix for _, fix in chosen], documents) if proven is None else proven
            texts, proven = {**state.texts, **new}, None
        except RefusedError as problem:
            if len(chosen) == 1:
                state.refuse(chosen[0][0], str(problem))
                return
            chosen = chosen[
                : len(chosen) // 2
            ]  # each is right on its own, but not beside the others
            continue
        originals = {d.path: d.source for d in state.before.project.documents}
        texts = {p: b for p, b in texts.items() if b != originals[p].encode(originals[p].text)}
        after = lint(texts)
        guilty = _remaining(after, chosen)
        if not guilty:
            fresh = list(_new_errors(state.result, after))
            if all(_lets_read(finding) for finding, _ in chosen):
                fresh = [finding for finding in fresh if _lets_read(finding)]
            if not fresh:
                state.result = after
                state.texts = texts
                state.applied.extend(chosen)
                return
            chosen, guilty = _suspects(chosen, fresh)
        for finding, reason in guilty:
            state.refuse(finding, reason)
        bad = {id(finding) for finding, _ in guilty}
        chosen = [c for c in chosen if id(c[0]) not in bad]


def _suspects(
    chosen: list[tuple[Finding, Fix]], fresh: list[Finding]
) -> tuple[list[tuple[Finding, Fix]], list[tuple[Finding, str]]]:
    """Which fixes to try next, and which are guilty, where new errors came.

    A file with a new error keeps one of its fixes for the next try; the error is that one's fault
    if it is there again. So all files are searched at once. An error in a file that no fix touches
    is looked for by halves.
    """
    brought = {f.document.path: f.rule for f in fresh}
    by_path: dict[str, list[tuple[Finding, Fix]]] = {path: [] for path in brought}
    for choice in chosen:
        for path in {edit.path for edit in choice[1].edits} & brought.keys():
            by_path[path].append(choice)
    guilty = [
        (found[0][0], f"it would bring {brought[path].code} {brought[path].name}")
        for path, found in by_path.items()
        if len(found) == 1
    ]
    if guilty:
        return chosen, guilty
    waiting = {id(c[0]) for found in by_path.values() for c in found[1:]}
    if waiting:
        return [c for c in chosen if id(c[0]) not in waiting], []
    rule = fresh[0].rule
    if len(chosen) == 1:
        return chosen, [(chosen[0][0], f"it would bring {rule.code} {rule.name}")]
    return chosen[: len(chosen) // 2], []


def _proven(
    state: Fixed, chosen: list[tuple[Finding, Fix]], documents: dict[str, Document]
) -> tuple[list[tuple[Finding, Fix]], dict[str, bytes] | None]:
    """The fixes that are what they say, and the texts that they make if all are. What is proven of
    all together is proven of each; where it is not, the others are searched by halves, and each
    that fails alone is refused."""
    try:
        return chosen, _apply([fix for _, fix in chosen], documents)
    except RefusedError as problem:
        if len(chosen) > 1:
            half = len(chosen) // 2
            first, second = chosen[:half], chosen[half:]
            one, other = (_proven(state, part, documents)[0] for part in (first, second))
            return [*one, *other], None
        state.refuse(chosen[0][0], str(problem))
        return [], None


def _apply(fixes: list[Fix], documents: dict[str, Document]) -> dict[str, bytes]:
    by_path: dict[str, list[Edit]] = {}
    known: dict[tuple[str, Span, str], list[Edit]] = {}
    for one in fixes:
        for edit in one.edits:
            same = known.setdefault((edit.path, edit.span, edit.text), [])
            if edit not in same:
                same.append(edit)
                by_path.setdefault(edit.path, []).append(edit)
    texts = {}
    for path, edits in by_path.items():
        document = documents.get(path)
        if document is None or not document.given:
            raise RefusedError(f"{path} is not among the files given")
        texts[path] = document.source.encode(check(document, edits))
    return texts


def _remaining(after: Result, chosen: list[tuple[Finding, Fix]]) -> list[tuple[Finding, str]]:
    """The fixes whose finding still stands where it stood, no less grave than before."""
    edits: dict[str, list[Edit]] = {}
    for _, one in chosen:
        for edit in one.edits:
            edits.setdefault(edit.path, []).append(edit)
    shifts = {path: Shift(own) for path, own in edits.items()}
    left: dict[tuple[str, str], list[Finding]] = {}
    for finding in after.findings:
        left.setdefault((finding.document.path, finding.rule.code), []).append(finding)
    guilty = []
    for finding, _ in chosen:
        path = finding.document.path
        start, end = shifts[path].moved(finding.span) if path in shifts else finding.span
        if any(
            other.span.start < end and start < other.span.end and other.severity >= finding.severity
            for other in left.get((path, finding.rule.code), [])
        ):
            guilty.append((finding, "the finding would still be there"))
    return guilty


def _new_errors(before: Result, after: Result) -> Iterator[Finding]:
    """An error of each rule that a file has more findings of than it had."""
    old = Counter((f.document.path, f.rule.code) for f in before.findings)
    new = Counter((f.document.path, f.rule.code) for f in after.findings if f.severity == ERROR)
    for finding in after.findings:
        place = (finding.document.path, finding.rule.code)
        if finding.severity == ERROR and new[place] > old[place]:
            yield finding
