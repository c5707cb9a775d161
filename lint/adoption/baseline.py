"""The baseline: a file of findings that are known and not reported until somebody chooses to.

An entry is matched by its file, its rule and the words it stands on
(`cfglint.adoption.fingerprint`), so that it survives lines that move. Of several alike, the nearest
to where it was is taken. A finding that has become graver than its entry is reported.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from cfglint.adoption.fingerprint import of_words, path_under
from cfglint.record import dataclass, field
from cfglint.rule import Finding, Severity

NAME = "cfglint-baseline.json"
VERSION = 1
REASON = "found when the baseline was written"
FIELDS = ("path", "rule", "severity", "line", "fingerprint", "message", "reason")


class BaselineError(Exception):
    """A baseline file that cannot be used; the message says which and why."""


@dataclass(slots=True)
class Entry:
    """A known finding.

    `path` is relative to the baseline file's folder, `line` (from 1) is where it was when the entry
    was written, `message` is for people.
    """

    path: str
    rule: str
    severity: str
    line: int
    fingerprint: str
    message: str = ""
    reason: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.path, self.rule, self.fingerprint)


@dataclass(slots=True)
class Match:
    """How findings and entries meet: those without an entry, those with, entries left over."""

    new: list[Finding] = field(default_factory=list)
    known: list[tuple[Finding, Entry]] = field(default_factory=list)
    unmatched: list[Entry] = field(default_factory=list)


@dataclass(slots=True)
class Baseline:
    """A baseline file at `path`."""

    path: Path
    entries: list[Entry] = field(default_factory=list)
    text: str = ""

    @property
    def folder(self) -> Path:
        return Path(os.path.abspath(self.path)).parent

    def match(self, findings: Iterable[Finding]) -> Match:
        """Tell findings that are known from those that are new."""
        waiting: dict[tuple[str, str, str], list[Entry]] = defaultdict(list)
        for entry in self.entries:
            waiting[entry.key].append(entry)
        groups: dict[tuple[str, str, str], list[Finding]] = defaultdict(list)
        for finding in findings:
            groups[self._key(finding)].append(finding)
        result = Match()
        for key, group in groups.items():
            _pair(group, waiting.get(key, []), result)
        result.new.sort(key=lambda finding: finding.order)
        result.unmatched = [entry for entries in waiting.values() for entry in entries]
        return result

    def entry(self, finding: Finding, message: str, reason: str) -> Entry:
        """An entry for a finding. `message` must be fit to be shown."""
        line = finding.document.source.position(finding.span.start)[0]
        path, code, words = self._key(finding)
        return Entry(path, code, finding.severity.label, line, words, message, reason)

    def _key(self, finding: Finding) -> tuple[str, str, str]:
        path = path_under(self.folder, finding.document.file)
        return (path, finding.rule.code, of_words(finding))

    def render(self) -> str:
        """The file's text: one entry a line, so that merges are easy."""
        entries = sorted(self.entries, key=lambda e: (e.path, e.line, e.rule, e.fingerprint))
        rows = [
            "  " + json.dumps({name: getattr(e, name) for name in FIELDS}, ensure_ascii=False)
            for e in entries
        ]
        body = "[\n" + ",\n".join(rows) + "\n ]" if rows else "[]"
        return f'{{"version": {VERSION},\n "findings": {body}}}\n'

    def line_of(self, entry: Entry) -> int:
        """The line (from 1) of the file on which an entry stands."""
        sign = f'"{entry.fingerprint}"'
        for number, line in enumerate(self.text.split("\n"), 1):
            if sign in line and (f'"{entry.path}"' in line or '"path"' not in line):
                return number
        return 1


def _pair(findings: list[Finding], entries: list[Entry], result: Match) -> None:
    """Match findings and entries of one key, nearest lines first; used entries leave the list."""
    lines = {id(f): f.document.source.position(f.span.start)[0] for f in findings}
    pairs = sorted(
        (
            (abs(lines[id(finding)] - entry.line), number, place)
            for number, finding in enumerate(findings)
            for place, entry in enumerate(entries)
            if finding.severity <= Severity[entry.severity.upper()]
        ),
    )
    taken: dict[int, int] = {}
    for _, number, place in pairs:
        if number not in taken and place not in taken.values():
            taken[number] = place
    for number, finding in enumerate(findings):
        if number in taken:
            result.known.append((finding, entries[taken[number]]))
        else:
            result.new.append(finding)
    for place in sorted(taken.values(), reverse=True):
        del entries[place]


def load(path: Path) -> Baseline:
    """Read a baseline. Raises BaselineError when it is not there or not one."""
    try:
        text = path.read_text(encoding="utf-8")
        data = json.loads(text)
    except FileNotFoundError:
        raise BaselineError(
            f"no such baseline: {path} (`cfglint baseline write` makes one)"
        ) from None
    except (OSError, UnicodeDecodeError) as problem:
        raise BaselineError(f"{path}: {problem}") from None
    except (json.JSONDecodeError, RecursionError) as problem:
        raise BaselineError(f"{path}: not valid JSON: {problem}") from None
    if not isinstance(data, dict) or data.get("version") != VERSION:
        raise BaselineError(f"{path}: no baseline of version {VERSION}")
    found = data.get("findings")
    if not isinstance(found, list):
        raise BaselineError(f'{path}: "findings" must be a list')
    return Baseline(path, [_entry(path, number, one) for number, one in enumerate(found, 1)], text)


def _entry(path: Path, number: int, data: object) -> Entry:
    if not isinstance(data, dict):
        raise BaselineError(f"{path}: finding {number} is no object")
    for name in data:
        if name not in FIELDS:
            raise BaselineError(f"{path}: finding {number} has an unknown key {name!r}")
    for name in FIELDS:
        wanted = int if name == "line" else str
        optional = name in ("message", "reason")
        if not isinstance(data.get(name, "" if optional else None), wanted):
            raise BaselineError(f"{path}: finding {number}: {name!r} must be {wanted.__name__}")
    if data["severity"] not in ("error", "warning", "info"):
        raise BaselineError(f"{path}: finding {number}: {data['severity']!r} is no severity")
    return Entry(**data)
