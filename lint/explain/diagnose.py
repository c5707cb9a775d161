"""From an error log to the faults in the files that explain it.

Every line of the log is held against the symptoms of all rules. A rule whose message stands in the
log and which has a finding in the files explains it; the graver the finding, the rarer the message
and the more of the log's own values (the port, the address, the key) stand in the finding, the
better.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from cfglint.explain import symptoms
from cfglint.explain.symptoms import Symptom
from cfglint.record import dataclass, field
from cfglint.registry import RuleModule
from cfglint.result import Result
from cfglint.rule import ERROR, INFO, WARNING, Finding, Severity

LINE_LENGTH = 4000  # of a log line that is looked at
DISTINCT_LINES = 500_000

# How much things count. A finding outweighs any message: it is in the files, not only possible.
FOUND = {ERROR: 100.0, WARNING: 70.0, INFO: 45.0}
NOT_FOUND = {ERROR: 4.0, WARNING: 2.0, INFO: 0.0}
SAME_VALUE = 20.0  # a finding stands on a value of the log
TOLD_VALUE = 12.0  # its message tells of one
OTHER_VALUE = 25.0  # a symptom names a value, and the finding has another
SPELLED = 20  # signs of a pattern beyond which more of them say no more
FURTHER = 0.3  # of what a rule's second and third message add

_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
# What loggers put before a message: ranks, times, hosts, compose services.
_PREFIX = re.compile(
    r"\s*(?:\[?(?:rank|default|node|stderr|stdout)?_?\d+\]?:\s*"
    r"|\[[^\]]{0,60}\]\s*"
    r"|\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d[\d.,Z+:-]*\s*"
    r"|[\w.-]{1,40}\s+\|\s+)+"
)
_ADDRESS = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
# A port for sure: `port: 29500`, `(host, 29500)`, `10.0.0.1:29500`, `[::]:29500`.
_PORT = re.compile(r"(?:(?i:\bport)[:=`'\"\s]{1,3}|\([\w.:-]+, |\d\.\d{1,3}:|\]:)(\d{1,5})(?!\d)")
_QUOTED = re.compile(r"'([^'\n]{2,80})'|\"([^\"\n]{2,80})\"|`([^`\n]{2,80})`")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a log, as it stands there for a person: no colours. `number` counts from 1."""

    number: int
    text: str


@dataclass(slots=True)
class Log:
    """A log: its distinct lines, and how often each stands there."""

    lines: list[Line] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    length: int = 0  # lines in all

    def count(self, line: Line) -> int:
        """How often a line stands in the log, prefixes aside."""
        return self.counts[_key(line.text)]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line of the log that decided, and what of it is the message."""

    line: Line
    symptom: Symptom
    matched: str
    shared: int  # how many rules know this line
    count: int

    @property
    def weight(self) -> float:
        """The more a pattern spells out and the fewer rules know the line, the more it says."""
        return min(self.symptom.weight, SPELLED) / (1 + 0.25 * (self.shared - 1))


@dataclass(slots=True)
class Explanation:
    """A rule that may explain the log. `findings` are its findings in the files, best first."""

    module: RuleModule
    evidence: list[Evidence]
    findings: list[Finding] = field(default_factory=list)
    score: float = 0.0

    @property
    def lines(self) -> list[Evidence]:
        """The evidence, each line of the log once."""
        seen: dict[int, Evidence] = {}
        for one in self.evidence:
            seen.setdefault(one.line.number, one)
        return list(seen.values())


@dataclass(slots=True)
class Diagnosis:
    """What a log and the files say together.

    `explained` have findings, `possible` know the messages but have none; both best first.
    `unrelated` are errors in the files that no message of the log speaks of.
    """

    log: Log
    explained: list[Explanation]
    possible: list[Explanation]
    unrelated: list[Finding]
    evidence: list[Evidence]


def read(lines: Iterable[str]) -> Log:
    """The distinct lines of a log: what 64 ranks repeat is looked at once."""
    log = Log()
    for number, raw in enumerate(lines, 1):
        log.length = number
        text = clean(raw)
        key = _key(text)
        if not key:
            continue
        if key in log.counts:
            log.counts[key] += 1
        elif len(log.counts) < DISTINCT_LINES:
            log.counts[key] = 1
            log.lines.append(Line(number, text))
    return log


def clean(raw: str) -> str:
    """A log line without colours and without what a progress bar overwrote."""
    text = raw[:LINE_LENGTH].rstrip("\r\n").rpartition("\r")[2]
    return _ANSI.sub("", text).rstrip() if "\x1b" in text else text.rstrip()


def _key(text: str) -> str:
    prefix = _PREFIX.match(text)
    return text[prefix.end() :].strip() if prefix else text.strip()


def diagnose(log: Log, result: Result | None) -> Diagnosis:
    """Hold a log against the rules and, where files were linted, against their findings.

    Findings that a comment or a setting suppresses count like others: the log shows that they
    were no false alarm.
    """
    evidence = list(_evidence(log))
    by_code: dict[str, list[Evidence]] = defaultdict(list)
    for one in evidence:
        by_code[one.symptom.module.rule.code].append(one)
    findings: dict[str, list[Finding]] = defaultdict(list)
    if result is not None:
        for finding in [*result.findings, *result.suppressed]:
            findings[finding.rule.code].append(finding)
    ports = set(_port_places(result)) if result is not None else set()
    explained: list[Explanation] = []
    possible: list[Explanation] = []
    for code, group in by_code.items():
        rule = Explanation(group[0].symptom.module, sorted(group, key=lambda e: -e.weight))
        _weigh(rule, findings.get(code, []), ports)
        (explained if rule.findings else possible).append(rule)
    unrelated = [
        finding
        for code, group in findings.items()
        if code not in by_code
        for finding in group
        if finding.severity == ERROR
    ]
    return Diagnosis(log, _ordered(explained), _ordered(possible), unrelated, evidence)


def _ordered(group: list[Explanation]) -> list[Explanation]:
    return sorted(group, key=lambda e: (-e.score, e.module.rule.code))


def _evidence(log: Log) -> Iterator[Evidence]:
    """Every line that a symptom matches, each symptom at its first line."""
    seen: set[tuple[str, str]] = set()
    for line in log.lines:
        matches = symptoms.matches(line.text)
        if not matches:
            continue
        shared = len({s.module.rule.code for s, _ in matches})
        for symptom, match in matches:
            key = (symptom.module.rule.code, symptom.pattern.pattern)
            if key not in seen:
                seen.add(key)
                yield Evidence(line, symptom, match.group(), shared, log.count(line))


def _port_places(result: Result) -> Iterator[tuple[str, int]]:
    """Where a port is written: the number there can be held against the log's."""
    for launch in result.project.launches:
        if launch.port is not None:
            yield launch.port.document.path, launch.port.span.start


def _weigh(one: Explanation, findings: list[Finding], ports: set[tuple[str, int]]) -> None:
    """Give an explanation its score, and its findings their order."""
    weights = [evidence.weight for evidence in one.evidence]
    one.score = weights[0] + FURTHER * sum(weights[1:3])
    if not findings:
        one.score += NOT_FOUND[one.module.rule.severity]
        return
    values = [values_of(evidence) for evidence in one.evidence]
    scored = [(_worth(f, values, (f.document.path, f.span.start) in ports), f) for f in findings]
    scored = [(worth, finding) for worth, finding in scored if worth > 0]
    scored.sort(key=lambda pair: (-pair[0], pair[1].document.path, pair[1].span))
    one.findings = [finding for _, finding in scored]
    one.score += scored[0][0] if scored else NOT_FOUND[one.module.rule.severity]


def _worth(finding: Finding, values: list[Values], is_port: bool) -> float:
    """What a finding is worth as an explanation, 0 where the log speaks of another port or host."""
    own = finding.document.source.slice(finding.span).strip("\"'")
    words = " ".join([own, finding.message, *(r.message for r in finding.related)])
    said = {word for one in values for word in one.words}
    if any(own == word or (len(own) > 2 and _holds(word, own)) for word in said):
        return FOUND[Severity(finding.severity)] + SAME_VALUE
    if any(len(word) > 1 and _holds(words, word) for word in said):
        return FOUND[Severity(finding.severity)] + TOLD_VALUE
    if all(one.contradicts(own, is_port) for one in values):
        return 0.0
    named = all(one.named for one in values)
    return FOUND[Severity(finding.severity)] - (OTHER_VALUE if named else 0.0)


def _holds(words: str, value: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(value)}(?![\w-])", words) is not None


@dataclass(frozen=True, slots=True)
class Values:
    """The values of a log line that can stand in a config: `ports`, `addresses`, what the symptom
    names, and the quoted words."""

    ports: frozenset[str]
    addresses: frozenset[str]
    named: frozenset[str]
    quoted: frozenset[str]

    @property
    def words(self) -> frozenset[str]:
        """All of them."""
        return self.ports | self.addresses | self.named | self.quoted

    def contradicts(self, own: str, is_port: bool) -> bool:
        """Whether a finding's own value is a port or an address, and the line tells of another.

        Addresses of one network do not: a container's neighbours differ in the last numbers only.
        """
        if is_port and own.isdigit() and self.ports:
            return own not in self.ports
        if _ADDRESS.fullmatch(own) and self.addresses:
            network = own.split(".")[:2]
            return all(address.split(".")[:2] != network for address in self.addresses)
        return False


def values_of(evidence: Evidence) -> Values:
    """What a line of the log says of values."""
    text = evidence.line.text
    match = evidence.symptom.pattern.search(text)
    named = match.groupdict().values() if match else ()
    quoted = {part for groups in _QUOTED.findall(text) for part in groups if part}
    return Values(
        frozenset(_PORT.findall(text)),
        frozenset(_ADDRESS.findall(text)),
        frozenset(value for value in named if value),
        frozenset(quoted - {"port", "config", "model", "None", "str", "int", "bool"}),
    )
