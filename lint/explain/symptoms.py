"""From an error message to the rules that explain it.

Rules declare patterns of the messages their fault produces (`Rule.symptoms`); their pages quote the
messages. A pattern that few rules share and that spells much of the message out says the most.
"""

from __future__ import annotations

import itertools
import re
from functools import cache

from cfglint import registry
from cfglint.explain import pages
from cfglint.record import dataclass, field
from cfglint.registry import RuleModule

_GROUP = re.compile(r"\(\?(?:P<\w+>|[:=!]|<[=!])")
_WORD = re.compile(r"[A-Za-z]{3,}")
_INNER = re.compile(r"(?<=[^A-Za-z])[A-Za-z]{3,}(?=[^A-Za-z])")
_SIGNS = re.compile(r"[A-Za-z0-9]")


@dataclass(frozen=True, slots=True)
class Symptom:
    """A pattern of a rule. `weight` counts the signs that it spells out; a line without `needle`
    ("" where there is none) cannot match."""

    module: RuleModule
    pattern: re.Pattern[str]
    weight: int
    needle: str

    def find(self, text: str) -> re.Match[str] | None:
        """Where a line of a log matches."""
        return self.pattern.search(text) if self.needle in text else None


@cache
def table() -> tuple[Symptom, ...]:
    """Every symptom of every rule."""
    return tuple(
        symptom(module, source)
        for module in registry.everything()
        for source in module.rule.symptoms
    )


def matches(text: str) -> list[tuple[Symptom, re.Match[str]]]:
    """Every symptom that a line of a log has, and where."""
    by_word, rest = _index()
    likely = list(rest)
    for word in set(_WORD.findall(text)):
        likely += by_word.get(word, ())
    return [(one, match) for one in likely if (match := one.find(text)) is not None]


@cache
def _index() -> tuple[dict[str, list[Symptom]], list[Symptom]]:
    """Symptoms by a word that a line must have, and those that have none: a log of a million lines
    is not held against hundreds of patterns one by one."""
    by_word: dict[str, list[Symptom]] = {}
    rest = []
    for one in table():
        # Words at the ends of the needle may be parts of longer ones in the line.
        inner = _INNER.findall(one.needle)
        if inner:
            by_word.setdefault(max(inner, key=len), []).append(one)
        else:
            rest.append(one)
    return by_word, rest


def symptom(module: RuleModule, source: str) -> Symptom:
    """One pattern of a rule, ready to be looked for."""
    needle = max(literals(source), key=len, default="") if "(?i)" not in source else ""
    return Symptom(module, re.compile(source), weight(source), needle)


def weight(source: str) -> int:
    """How many letters and digits of a message a pattern spells out, its groups included."""
    return sum(len(_SIGNS.findall(run)) for run in literals(source, inside=True))


def literals(source: str, inside: bool = False) -> list[str]:
    """The runs of characters that every match of a pattern contains; with `inside`, also those
    that stand in its groups (of which a match may hold only some)."""
    if "|" in re.sub(r"\\.|\([^()]*\)|\[[^]]*\]", "", source) and not inside:
        return []
    runs, run, depth, at = [], "", 0, 0

    def end() -> None:
        nonlocal run
        if run and (depth == 0 or inside):
            runs.append(run)
        run = ""

    while at < len(source):
        sign = source[at]
        step = 1
        if sign == "\\" and at + 1 < len(source):
            step = 2
            if source[at + 1].isalnum():
                end()
            else:
                run += source[at + 1]
        elif sign == "(":
            end()
            group = _GROUP.match(source, at)
            step = group.end() - at if group else 4 if source.startswith("(?i)", at) else 1
            depth += step != 4 or group is not None
        elif sign == ")":
            end()
            depth -= 1
        elif sign == "[":
            end()
            step = max(source.find("]", at + 2) - at + 1, 1)
        elif sign in "?*{":
            run = run[:-1]  # what is optional need not be there
            end()
            step = source.index("}", at) - at + 1 if sign == "{" else 1
        elif sign in "+.^$|":
            end()
        else:
            run += sign
        at += step
    end()
    return runs


@dataclass(slots=True)
class Hit:
    """A rule that speaks of an error. `where` is "symptom" or "page", `text` what matched there."""

    module: RuleModule
    where: str
    text: str
    rank: tuple[float, ...] = field(default=())

    @property
    def why(self) -> str:
        """One line that says what matched."""
        return f"its page says: {self.text}" if self.where == "page" else f"message: {self.text}"


def search(error: str) -> list[Hit]:
    """The rules that explain an error message or a part of one, best first.

    A pattern that matches the message counts most, then one that spells the given words, then a
    page that quotes them, then a page that has all of the words on one line.
    """
    wanted = " ".join(error.split())
    if not wanted:
        return []
    hits: dict[str, Hit] = {}

    def offer(module: RuleModule, where: str, text: str, *rank: float) -> None:
        old = hits.get(module.rule.code)
        if old is None or rank > old.rank:
            hits[module.rule.code] = Hit(module, where, text, rank)

    folded = wanted.casefold()
    words = [w for w in re.findall(r"[\w.:/<>-]+", folded) if len(w) > 2]
    for symptom in table():
        source = symptom.pattern.pattern
        match = symptom.pattern.search(wanted)
        if match and match.group():
            spelled = symptom.weight
            severity = symptom.module.rule.severity
            offer(symptom.module, "symptom", match.group(), 4, spelled >= 12, severity, spelled)
        elif folded in readable(source).casefold():
            offer(symptom.module, "symptom", readable(source), 3, symptom.module.rule.severity)
    for module in registry.everything():
        severity = module.rule.severity
        for line in _quoted(module):
            text = line.casefold()
            if folded in text:
                offer(module, "page", line, 2, severity)
            elif len(words) > 1 and all(word in text for word in words):
                offer(module, "page", line, 1, severity)
        prose = " ".join([module.rule.summary, module.rule.cause])
        if folded in prose.casefold():
            offer(module, "page", prose.strip(), 0, severity)
    return sorted(hits.values(), key=lambda h: (*(-r for r in h.rank), h.module.rule.code))


def _quoted(module: RuleModule) -> list[str]:
    """The lines of a page that can quote a message: all but its examples."""
    lines: list[str] = []
    for section in pages.sections(module.page):
        if section.title.startswith("Example"):
            continue
        for part in section.parts:
            if isinstance(part, str):
                lines.append(" ".join(part.split()))
            else:
                block = [line.strip() for line in part.text.splitlines() if line.strip()]
                lines.extend(block)
                # A long message is wrapped on the page.
                lines.extend(f"{one} {two}" for one, two in itertools.pairwise(block))
    return lines


def readable(source: str) -> str:
    """A pattern as a person would read the message: escapes undone, gaps as `...`."""
    text = _GROUP.sub("(", source.replace("(?i)", ""))
    text = re.sub(r"\((?:\\[dSw]\+|\.\+|\.\*|\[[^]]*\]\+)\)", "...", text)
    text = re.sub(r"(?:\\[dwsS]|\[[^]]*\]|\.)(?:[+*]\??|\?|\{[^}]*\})", "...", text)
    text = re.sub(r"\\[dwsS]|\[[^]]*\]", "...", text)
    text = re.sub(r"\\b|\^|(?<!\\)\$$", "", text)
    text = re.sub(r"\\([^A-Za-z0-9])", r"\1", text)
    return re.sub(r"(?:\.\.\.\s*){2,}", "... ", text).strip()
