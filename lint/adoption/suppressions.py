"""What silences findings: comments in the files, and `per-file-ignores` in the settings.

    # cfglint: ignore[PORT001]            at the end of a line, or alone on the line above
    # cfglint: ignore-next-line[PORT001]  the same, said outright
    # cfglint: ignore-file[port]          the whole file
    # cfglint: ignore-begin[NET]          from here ...
    # cfglint: ignore-end[NET]            ... to here

In the brackets stand codes, prefixes, families or names; a reason follows after ` -- `.
"""

from __future__ import annotations

import os
import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from cfglint.files import discovery
from cfglint.model.document import Document
from cfglint.model.tree import Scalar, walk
from cfglint.record import dataclass, field
from cfglint.registry import matches
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.rule import Finding
    from cfglint.settings import Settings

WORDS = ("ignore", "ignore-next-line", "ignore-file", "ignore-begin", "ignore-end")
SIGN = "cfglint:"
COMMENT = (
    r"(?:#|//)[ \t]*cfglint:[ \t]*(?P<word>[\w-]+)(?P<rules>\[[^\]\r\n]*\])?"
    r"(?:[ \t]*--[ \t]*(?P<reason>[^\r\n]*))?"
)
HEREDOC = r"(?<!<)<<-?[ \t]*(?P<quote>['\"]?)(?P<word>[A-Za-z_]\w*)(?P=quote)[^\n]*\n"
_DIRECTIVES = ("#SBATCH", "#PBS", "#BSUB", "#$ ")  # read by the scheduler: no mere comments


@dataclass(slots=True, eq=False)
class Suppression:
    """One such comment.

    `first` and `last` are the lines (from 1) it speaks of. `rules` are the codes, prefixes or names
    in the brackets; empty for a bare `ignore`. `used` holds those that silenced something.
    `problem` says what is wrong with a block that is not closed, or closed and never opened.
    """

    document: Document
    span: Span
    word: str
    rules: tuple[str, ...]
    reason: str
    first: int
    last: int
    alone: bool  # nothing else stands on its line
    used: set[str] = field(default_factory=set)
    problem: str = ""

    def silences(self, line: int, finding: Finding, folder: str) -> bool:
        """Whether it speaks of a finding on a line; it remembers what it was good for.

        `folder` is the family of the finding's rule.
        """
        found = False
        if self.first <= line <= self.last:
            for word in self.rules:
                if matches(word, finding.rule.code, finding.rule.name, folder):
                    self.used.add(word)
                    found = True
        return found


class Comments:
    """The suppression comments of a document, by the lines they speak of."""

    def __init__(self, found: list[Suppression]) -> None:
        self.all = found
        self._lines: dict[int, list[Suppression]] = {}
        self._wide: list[Suppression] = []
        for one in found:
            if one.last - one.first > 20:
                self._wide.append(one)
            else:
                for line in range(one.first, one.last + 1):
                    self._lines.setdefault(line, []).append(one)

    def silence(self, line: int, finding: Finding, folder: str) -> bool:
        """Whether one of them silences a finding on a line. Each is asked: every comment that
        speaks of the finding has been of use."""
        asked = [*self._lines.get(line, ()), *self._wide]
        answers = [one.silences(line, finding, folder) for one in asked]
        return any(answers)


def find(document: Document) -> list[Suppression]:
    """Every suppression comment of a document."""
    source = document.source
    if SIGN not in source.text:
        return []
    values: list[Span] | None = None
    nexts: list[int] = []
    found = []
    for match in re.finditer(COMMENT, source.text):
        start = match.start()
        line = source.line_of(start)
        before = source.text[line.start : start]
        if before and not before[-1].isspace():
            continue
        if values is None:
            values = sorted(_values(document))
            nexts = _next_lines(document)
        around = bisect_right(values, (start, sys.maxsize)) - 1
        if around >= 0 and start < values[around].end:
            continue
        if not document.roots and _opens_quote(before):
            continue
        rules = match["rules"]
        one = Suppression(
            document,
            Span(start, start + len(match.group().rstrip())),
            match["word"],
            tuple(r.strip() for r in rules[1:-1].split(",") if r.strip()) if rules else (),
            (match["reason"] or "").strip(),
            first=source.position(start)[0],
            last=0,
            alone=not before.strip(),
        )
        _reach(one, nexts)
        found.append(one)
    _pair(found)
    return found


def _values(document: Document) -> Iterator[Span]:
    """What looks like a comment in here is text: values of YAML and JSON, heredocs of scripts."""
    if document.roots:
        for root in document.roots:
            yield from (Span(n.start, n.end) for n in walk(root) if isinstance(n, Scalar))
        return
    text = document.source.text
    end = 0
    for match in re.finditer(HEREDOC, text):
        if match.start() >= end:
            body = match.end()
            close = re.compile(rf"^\t*{re.escape(match['word'])}[ \t]*$", re.M).search(text, body)
            end = close.start() if close else len(text)
            yield Span(body, end)


def _opens_quote(before: str) -> bool:
    """Whether a quote is open at the end of the beginning of a line; a comment opens none."""
    quote = last = ""
    escaped = False
    for char in before:
        if char == "#" and not quote and not last.strip():
            return False
        last = char
        if escaped:
            escaped = False
        elif char == "\\" and quote != "'":
            escaped = True
        elif quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
    return bool(quote)


def _reach(one: Suppression, nexts: list[int]) -> None:
    """Set the lines that a comment speaks of, blocks apart."""
    document = one.document
    if one.word == "ignore-file":
        one.first, one.last = 1, len(document.source.line_starts)
    elif one.word in ("ignore", "ignore-next-line"):
        if one.alone or one.word == "ignore-next-line":
            one.first = nexts[one.first]
        one.last = _continued(document, one.first)


def _pair(found: list[Suppression]) -> None:
    """Give each `ignore-begin` its end: the next `ignore-end` of the same rules, or of none."""
    opened: list[Suppression] = []
    for one in found:
        if one.word == "ignore-begin":
            opened.append(one)
            one.last = len(one.document.source.line_starts)
            one.problem = "it has no ignore-end and so reaches to the end of the file"
        elif one.word == "ignore-end":
            fitting = [o for o in opened if not one.rules or set(o.rules) == set(one.rules)]
            if fitting:
                opened.remove(fitting[-1])
                fitting[-1].last = one.first
                fitting[-1].problem = ""
            else:
                one.problem = "no ignore-begin for the same rules stands above it"


def _next_lines(document: Document) -> list[int]:
    """For each line (from 1) the next one that is neither blank nor a comment, or the line itself
    where none comes."""
    source = document.source
    count = len(source.line_starts)
    nexts = list(range(count + 1))
    following = 0
    for number in range(count, 0, -1):
        nexts[number] = following or number
        text = source.slice(source.line_span(number)).strip()
        if text and (not text.startswith(("#", "//")) or text.startswith(_DIRECTIVES)):
            following = number
    return nexts


def _continued(document: Document, line: int) -> int:
    """The last line of the statement that begins on a line: a backslash at the end continues it."""
    count = len(document.source.line_starts)
    while line < count and document.source.slice(document.source.line_span(line)).endswith("\\"):
        line += 1
    return line


class FileIgnores:
    """`per-file-ignores` of the settings; `used` holds the (glob, rule) pairs that silenced
    something, `met` the globs that matched a file at all."""

    def __init__(self, settings: Settings) -> None:
        self.table = settings.per_file_ignores
        self.root = settings.root
        self.used: set[tuple[str, str]] = set()
        self.met: set[str] = set()
        self._globs: dict[int, list[str]] = {}

    def globs(self, document: Document) -> list[str]:
        """The globs that match a document."""
        if id(document) not in self._globs:
            path = os.path.relpath(os.path.abspath(document.file), self.root).replace(os.sep, "/")
            found = [glob for glob in self.table if discovery.matches(path, (glob,))]
            self._globs[id(document)] = found
            self.met.update(found)
        return self._globs[id(document)]

    def silences(self, finding: Finding, folder: str) -> bool:
        """Whether an entry speaks of a finding of a rule of the family `folder`."""
        if not self.table:
            return False
        pairs = {
            (glob, rule)
            for glob in self.globs(finding.document)
            for rule in self.table[glob]
            if matches(rule, finding.rule.code, finding.rule.name, folder)
        }
        self.used |= pairs
        return bool(pairs)

    def stale(self, documents: Iterable[Document]) -> list[tuple[str, str, str]]:
        """The (glob, rule, why) that silenced nothing; `documents` must be all there are."""
        for document in documents:
            self.globs(document)
        left = "nothing of {} is found there"
        return [
            (glob, rule, left.format(rule) if glob in self.met else "it matches no file")
            for glob, rules in self.table.items()
            for rule in rules
            if (glob, rule) not in self.used
        ]
