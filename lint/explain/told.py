"""What `cfglint diagnose` prints: the rules that explain a log, their findings, the lines that
decided."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from cfglint.explain.diagnose import Diagnosis, Evidence, Explanation
from cfglint.report.json import finding_data
from cfglint.report.model import Report, place
from cfglint.report.text import COLOURS, Paint, _block
from cfglint.result import Result
from cfglint.rule import Finding
from cfglint.wording import many

SHOWN = 3  # explanations in full
LINES = 3  # of the log for each
FINDINGS = 3  # of the files for each
RULES = 6  # that know a message, where no file shows their fault
WIDTH = 240  # of a shown log line


def as_text(diagnosis: Diagnosis, result: Result, name: str, colour: bool, everything: bool) -> str:
    """The report for people."""
    return "\n".join(_Text(diagnosis, result, name, Paint(colour), everything).lines()) + "\n"


class _Text:
    def __init__(
        self, diagnosis: Diagnosis, result: Result, name: str, paint: Paint, everything: bool
    ) -> None:
        self.diagnosis = diagnosis
        self.result = result
        self.report = Report(result)
        for line in diagnosis.log.lines:
            self.report.masker.learn(line.text)
        self.name = self.report.text(name)
        self.paint = paint
        self.shown = 1000 if everything else SHOWN
        self.suppressed = {id(f) for f in result.suppressed}
        self.quoted: set[int] = set()  # lines of the log that were shown already

    def lines(self) -> Iterator[str]:
        found = self.diagnosis
        yield self.headline()
        for count, one in enumerate(found.explained[: self.shown], 1):
            yield ""
            yield from self.explanation(one, count)
        rest = found.explained[self.shown :]
        if rest:
            yield ""
            names = ", ".join(f"{one.module.rule.code} {one.module.rule.name}" for one in rest)
            yield f"Also in the files, with such messages: {names} (--all shows them)."
        if found.possible and (not found.explained or self.shown > SHOWN):
            yield from self.possible()
        if not found.explained:
            yield from self.elsewhere()

    def headline(self) -> str:
        found = self.diagnosis
        documents = [d for d in self.result.project.documents if d.given and d.kind is not None]
        files = many(len(documents), "config file") if documents else "no config file"
        known = len({one.line.number for one in found.evidence})
        log = f"{self.name} ({many(found.log.length, 'line')}"
        log += f", {known} with a message that cfglint knows)"
        if found.explained:
            best = found.explained[0]
            word = f"{best.module.rule.code} {best.module.rule.name}"
            more = len(found.explained) - 1
            also = f"; {many(more, 'other fault')} there would fit" if more else ""
            return f"{log}: explained by {self.paint(word, '1')} in {files}{also}."
        if not documents:
            return f"{log}: {files} at hand that could explain it."
        return f"{log}: {self.paint('not explained', '1')} by what stands in {files}."

    def explanation(self, one: Explanation, count: int) -> Iterator[str]:
        rule = one.module.rule
        code = self.paint(f"{count}. {rule.code} {rule.name}", "1", COLOURS[rule.severity.label])
        yield f"{code}: {rule.summary}"
        yield from self.evidence(one)
        for finding in one.findings[:FINDINGS]:
            yield from self.finding(finding)
        left = len(one.findings) - FINDINGS
        if left > 0:
            yield f"   and {many(left, 'more finding')} of this rule."

    def evidence(self, one: Explanation) -> Iterator[str]:
        for evidence in one.lines[:LINES]:
            if evidence.line.number in self.quoted:
                yield f"   {self.paint(f'{self.name}:{evidence.line.number}: as above', '2')}"
                continue
            self.quoted.add(evidence.line.number)
            yield f"   {self.quote(evidence)}"
            if evidence.count > 1:
                yield f"   {self.paint(f'(the same {evidence.count} times)', '2')}"

    def quote(self, evidence: Evidence) -> str:
        """The line with its number and the message marked, cut around it."""
        spot = self.paint(f"{self.name}:{evidence.line.number}:", "2")
        text = evidence.line.text.strip()
        at = text.find(evidence.matched)
        low = 0
        if len(text) > WIDTH:
            low = max(0, min(at - 40, len(text) - WIDTH))
            text = text[low : low + WIDTH]
        start = max(at - low, 0)
        end = min(start + len(evidence.matched), len(text))
        show = self.report.text
        head, marked, tail = show(text[:start]), show(text[start:end]), show(text[end:])
        return f"{spot} {'...' if low else ''}{head}{self.paint(marked, '1', '31')}{tail}"

    def finding(self, finding: Finding) -> Iterator[str]:
        yield ""
        for line in _block(self.report, finding, self.paint):
            yield f"   {line}"
        if id(finding) in self.suppressed:
            yield f"   {self.paint('It is suppressed by a comment or a setting.', '33')}"

    def possible(self) -> Iterator[str]:
        """The messages that are known, and the faults they come from, where no file shows them."""
        found = self.diagnosis
        by_line: dict[int, list[Explanation]] = {}
        for one in found.possible:
            by_line.setdefault(one.lines[0].line.number, []).append(one)
        yield ""
        files = any(d.given and d.kind for d in self.result.project.documents)
        none = "; the files show none of them" if files else ""
        yield f"What is known of these messages is that they come from such faults{none}:"
        everything = self.shown > SHOWN
        for group in list(by_line.values())[: None if everything else LINES]:
            yield f"  {self.quote(group[0].lines[0])}"
            for one in group[: None if everything else RULES]:
                rule = one.module.rule
                yield f"    {self.paint(f'{rule.code} {rule.name}', '1')}: {rule.summary}"
            left = 0 if everything else len(group) - RULES
            if left > 0:
                yield f"    and {many(left, 'other')} (--all names them)"
        yield "`cfglint explain CODE` says more."

    def elsewhere(self) -> Iterator[str]:
        """Where else to look, when nothing in the files explains the log."""
        found = self.diagnosis
        if not found.evidence:
            yield ""
            yield (
                "No rule knows a message of this log. The cause may lie in the program, the data,"
                " the machine or the network rather than in the files that start the job."
            )
        openings = list(dict.fromkeys(_openings(self.result)))
        if found.evidence and openings:
            yield ""
            yield "What the files leave open, where a fault could not be seen:"
            yield from (f"  {self.report.text(line)}" for line in openings[:8])
        if found.unrelated:
            yield ""
            yield "The files have errors of their own, which would give other messages:"
            for finding in found.unrelated[:5]:
                spot = place(finding.document, finding.span)
                rule = f"{finding.rule.code} {finding.rule.name}"
                yield self.report.text(f"  {spot.path}:{spot.line}: {rule}: {finding.message}")


def _openings(result: Result) -> Iterator[str]:
    """What the launches take from places that the files do not show."""
    from cfglint.show.facts import openings

    for launch in result.project.launches:
        yield from openings(launch)


def as_json(diagnosis: Diagnosis, result: Result, name: str) -> str:
    """The same as one JSON object, version 1."""
    report = Report(result)
    for line in diagnosis.log.lines:
        report.masker.learn(line.text)
    suppressed = {id(f) for f in result.suppressed}

    def data(one: Explanation) -> dict[str, Any]:
        rule = one.module.rule
        return {
            "code": rule.code,
            "name": rule.name,
            "summary": rule.summary,
            "score": round(one.score, 1),
            "evidence": [
                {
                    "line": e.line.number,
                    "text": report.text(e.line.text),
                    "matched": report.text(e.matched),
                    "count": e.count,
                }
                for e in one.lines
            ],
            "findings": [
                {**finding_data(report, f), "suppressed": id(f) in suppressed} for f in one.findings
            ],
        }

    return (
        json.dumps(
            {
                "version": 1,
                "log": {"path": name, "lines": diagnosis.log.length},
                "files": sum(1 for d in result.project.documents if d.given and d.kind),
                "explained": bool(diagnosis.explained),
                "explanations": [data(one) for one in diagnosis.explained],
                "possible": [data(one) for one in diagnosis.possible],
                "open": [report.text(line) for line in dict.fromkeys(_openings(result))],
                "unrelated": [finding_data(report, f) for f in diagnosis.unrelated],
            },
            ensure_ascii=False,
            indent=1,
        )
        + "\n"
    )
