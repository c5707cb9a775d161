"""YAML to the positioned tree, from the events of PyYAML's C parser.

Events, not nodes: composing hands back the anchor's node for an alias, whose position is the
anchor's. A block collection's end mark is at the next token, so a collection ends here where its
last child ends. Measured: 42 us a file for events against 66 for nodes and 2,350 for ruamel.yaml.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from cfglint.model.document import Problem
from cfglint.model.tree import Alias, Entry, Mapping, Node, Scalar, Sequence, walk
from cfglint.patterns import lazy
from cfglint.record import dataclass, field
from cfglint.text import SourceText, Span

MAX_DEPTH = 200  # far above any config; keeps every walk over a tree inside the stack
MAX_EXPANDED = 200_000  # nodes that all aliases of a file stand for; keeps what follows them finite
# An anchor and a tag before a node, in either order, with the comments that may follow each.
_PROPERTIES = lazy(
    r"(?:[&!][^\s,\[\]{}]*(?:\s+(?:#[^\r\n\x85\u2028\u2029]*\s+)*|$|(?=[,\[\]{}])))*"
)


@dataclass(slots=True)
class YamlFile:
    """The root nodes of a file's documents; `problems` holds what stopped the parser."""

    roots: list[Node] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def root(self) -> Node | None:
        return self.roots[0] if self.roots else None

    def scalars(self) -> list[Scalar]:
        """Every scalar that stands in the file, keys included."""
        return [n for root in self.roots for n in walk(root) if isinstance(n, Scalar)]


@functools.cache
def loader() -> Any:
    """PyYAML's C parser; where libyaml is missing the Python one, said once on standard error."""
    if hasattr(yaml, "CSafeLoader"):
        return yaml.CSafeLoader
    print(
        "cfglint: PyYAML lacks libyaml here; reading YAML takes some 14 times longer",
        file=sys.stderr,
    )
    return yaml.SafeLoader


def parse(source: SourceText) -> YamlFile:
    """The trees of all documents of a YAML text; errors become problems, never exceptions."""
    result = YamlFile()
    stack: list[_Open] = []
    try:
        _build(source.text, result, stack)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        at = min(mark.index if mark else 0, len(source.text))
        text = problem.problem or "cannot be read"
        if problem.context:
            text = f"{text} ({problem.context})"
        begun = _never_closed(source, stack, at, problem)
        if begun is not None:
            at = begun
            text = f"this {source.text[at]} is never closed"
        elif problem.context_mark and "simple key" in (problem.context or ""):
            at = problem.context_mark.index  # the colon is looked for up to the next line
        result.problems.append(_problem(source, at, text))
    except yaml.reader.ReaderError as problem:
        result.problems.append(_problem(source, *_bad_character(source.text, problem)))
    except _TooDeepError as problem:
        result.problems.append(_problem(source, problem.offset, problem.reason))
    return result


def _never_closed(source: SourceText, stack: list[_Open], at: int, problem: Any) -> int | None:
    """The bracket or quote that has no end, where the parser stopped at `at` for want of it."""
    text, context = source.text, problem.context or ""
    begun = problem.context_mark.index if problem.context_mark else len(text)
    if "quoted scalar" in context:
        return (
            begun if "unexpected" in problem.problem and text[begun : begun + 1] in "\"'" else None
        )
    if "parsing a flow" not in context:
        return None
    starts = (one.node.start for one in reversed(stack))
    begun = next((start for start in starts if text[start : start + 1] in ("[", "{")), at)
    if begun == at or not text[at:].strip():
        return begun if begun < at else None
    # What comes next is written no further in than the line that the bracket stands in.
    first, last = source.line_of(begun), source.line_of(at)
    opening, stop = source.slice(first), source.slice(last)
    inner, outer = len(stop) - len(stop.lstrip()), len(opening) - len(opening.lstrip())
    ends = first == last or inner > outer or stop.lstrip().startswith(("]", "}", ","))
    return None if ends else begun


class _TooDeepError(Exception):
    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(reason)
        self.offset = offset
        self.reason = reason


def _problem(source: SourceText, at: int, message: str) -> Problem:
    line = source.line_of(at)
    end = min(at + 1, line.end) if at < line.end else at
    return Problem("SYN002", message, Span(at, max(at, end)))


def _bad_character(text: str, problem: Any) -> tuple[int, str]:
    match = yaml.reader.Reader.NON_PRINTABLE.search(text)
    if match is None:
        return 0, str(getattr(problem, "reason", problem))
    return match.start(), f"the control character U+{ord(match.group()):04X} is not allowed in YAML"


class _Open:
    """A node under construction or anchored: how deep it goes and how many nodes it stands for,
    aliases expanded; `key` is the key of a mapping that waits for its value."""

    __slots__ = ("height", "key", "node", "size")

    def __init__(self, node: Any, height: int = 0, size: int = 1) -> None:
        self.node = node
        self.key: Node | None = None
        self.height = height
        self.size = size

    def take(self, node: Node, height: int = 0, size: int = 1) -> None:
        """Put a finished node where the collection waits for one."""
        self.size += size
        if self.height < height:
            self.height = height
        owner = self.node
        if owner.__class__ is Sequence:
            owner.items.append(node)
        elif self.key is None:
            self.key = node
        else:
            owner.entries.append(Entry(self.key, node))
            self.key = None


def _build(text: str, result: YamlFile, stack: list[_Open]) -> None:
    """Fill in the roots from the events of the parser; `stack` is left with what is not closed."""
    event: Any
    anchors: dict[str, _Open | None] = {}  # None while the anchored node is still open
    expanded = 0
    # Asking for one event after the other costs half of what `yaml.parse` does around it.
    next_event = loader()(text).get_event
    while (event := next_event()) is not None:
        kind = event.__class__
        if kind is ScalarEvent:
            scalar = _scalar(text, event)
            if stack and scalar.anchor is None:  # nearly every event
                stack[-1].take(scalar)
                continue
            done = _Open(scalar)
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            node = _collection(text, event, Mapping if kind is MappingStartEvent else Sequence)
            if len(stack) >= MAX_DEPTH:
                raise _TooDeepError(node.start, f"nested more than {MAX_DEPTH} levels deep")
            if node.anchor:
                anchors[node.anchor] = None
            stack.append(_Open(node))
            continue
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            done = stack.pop()
            done.height += 1
            if done.height > MAX_DEPTH:
                raise _TooDeepError(
                    done.node.start, f"aliases nest more than {MAX_DEPTH} levels deep"
                )
            if done.node.flow:
                done.node.end = event.end_mark.index
            else:
                _close(done.node)
        elif kind is AliasEvent:
            done = _alias(event, anchors)
            expanded += done.size
            if expanded > MAX_EXPANDED:
                raise _TooDeepError(
                    done.node.start, f"aliases that stand for over {MAX_EXPANDED:,} values"
                )
        else:
            if kind is DocumentStartEvent:
                anchors.clear()
            continue
        if done.node.anchor:
            anchors[done.node.anchor] = done
        if not stack:
            result.roots.append(done.node)
            continue
        stack[-1].take(done.node, done.height, done.size)


def _scalar(text: str, event: Any) -> Scalar:
    start, end = event.start_mark.index, event.end_mark.index
    style = event.style or ""
    tag = event.tag if event.tag and not event.implicit[1 if style else 0] else None
    if event.anchor or tag:
        start = _behind_properties(text, start, end)
    if style == "|" or style == ">":
        end = max(start + 1, _trim(text, start, end))
    return Scalar(start, end, event.value, style, tag, event.anchor)


def _collection(text: str, event: Any, make: type[Mapping] | type[Sequence]) -> Mapping | Sequence:
    start, end = event.start_mark.index, event.end_mark.index
    if event.flow_style and (event.anchor or event.tag):
        start = _behind_properties(text, start, end)
    node = make(start, end, bool(event.flow_style), event.anchor)
    if event.tag and not event.implicit:
        node.tag = event.tag
    return node


def _alias(event: Any, anchors: dict[str, _Open | None]) -> _Open:
    name = event.anchor
    if name not in anchors:
        raise yaml.composer.ComposerError(
            None, None, f"found undefined alias {name!r}", event.start_mark
        )
    found = anchors[name]
    node = Alias(event.start_mark.index, event.end_mark.index, name, found.node if found else None)
    return _Open(node, found.height if found else 0, found.size if found else 1)


def _close(node: Node) -> None:
    """End a block collection with its last child: its own end mark is at the next token."""
    if isinstance(node, Mapping) and node.entries:
        if node.anchor:
            node.start = max(node.start, node.entries[0].key.start)
        node.end = node.entries[-1].span.end
    elif isinstance(node, Sequence) and node.items:
        node.end = max(node.start + 1, node.items[-1].end)


def _behind_properties(text: str, start: int, end: int) -> int:
    """Where a node itself begins behind its anchor and tag, which its mark includes."""
    match = _PROPERTIES.match(text, start, end)
    return match.end() if match else start


def _trim(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1] in "\r\n":
        end -= 1
    return end
