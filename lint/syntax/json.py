"""JSON to the positioned tree, by a scanner that also reads what Hjson allows and says so.

Who reads a file decides which dialect is right (DeepSpeed loads with hjson, Hugging Face with the
strict `json`), so every departure from strict JSON is kept as a `Deviation` and nothing else is
decided here. A JSON file never goes through the YAML loader: that changes `1e-5` and much more.
"""

from __future__ import annotations

import re
from typing import Any

from cfglint.model.document import Problem
from cfglint.model.tree import Entry, Mapping, Node, Scalar, Sequence
from cfglint.record import dataclass, field
from cfglint.text import SourceText, Span

MAX_DEPTH = 200

_SPACE = re.compile(r"[ \t\n\r\f\v\u00a0\ufeff]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*"')
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?(?=[\s,\]}#/]|$)")
_WORD = re.compile(r"(true|false|null|NaN|-?Infinity)(?=[\s,\]}:#/]|$)")
_BARE_KEY = re.compile(r"[^\s,:\[\]{}\"'#/][^\s,:\[\]{}]*")
_ESCAPE = {'"': '"', "'": "'", "\\": "\\", "/": "/"}
_ESCAPE |= {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS: dict[str, Any] = {
    "true": True, "false": False, "null": None, "NaN": float("nan"),
    "Infinity": float("inf"), "-Infinity": float("-inf"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Deviation:
    """A departure from strict JSON. `kind`: "comment", "trailing-comma", "missing-comma",
    "single-quotes", "unquoted-key", "quoteless-string", "no-braces", "bom", "nan",
    "control-character". hjson accepts all but "control-character" and "nan"."""

    kind: str
    span: Span


@dataclass(slots=True)
class JsonFile:
    """The root node, what stopped the scanner (at most one problem), and the deviations."""

    root: Node | None = None
    problems: list[Problem] = field(default_factory=list)
    deviations: list[Deviation] = field(default_factory=list)
    comments: list[Span] = field(default_factory=list)

    @property
    def roots(self) -> list[Node]:
        return [self.root] if self.root is not None else []

    @property
    def strict(self) -> bool:
        """Whether `json.load` accepts the text (NaN included, as it does)."""
        return not self.problems and all(d.kind == "nan" for d in self.deviations)


class _Error(Exception):
    def __init__(self, at: int, message: str, end: int | None = None) -> None:
        super().__init__(message)
        self.at = at
        self.message = message
        self.end = end if end is not None else at + 1


def parse(source: SourceText) -> JsonFile:
    """The tree of a JSON text; errors become problems, never exceptions."""
    scanner = _Scanner(source.text)
    if source.bom:
        scanner.file.deviations.append(Deviation("bom", Span(0, 0)))
    try:
        scanner.document()
    except _Error as problem:
        from cfglint.syntax import json_errors

        line = source.line_of(min(problem.at, len(source.text)))
        span = Span(problem.at, max(problem.at, min(problem.end, max(line.end, problem.at))))
        better = json_errors.place(source, scanner.at, problem.message)
        span, message = better or (span, problem.message)
        scanner.file.problems.append(Problem("SYN003", message, span))
    scanner.file.deviations.sort(key=lambda d: d.span)
    return scanner.file


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.file = JsonFile()

    def note(self, kind: str, start: int, end: int) -> None:
        self.file.deviations.append(Deviation(kind, Span(start, end)))

    def skip(self) -> bool:
        """Pass blanks and comments; whether a line break was among them."""
        start = self.at
        text = self.text
        match = _SPACE.match(text, self.at)
        self.at = match.end() if match else self.at
        while text.startswith(("//", "#", "/*"), self.at):
            if text.startswith("/*", self.at):
                end = text.find("*/", self.at + 2)
                if end < 0:
                    raise _Error(self.at, "a comment that is never closed", self.at + 2)
                end += 2
            else:
                end = self.at
                while end < len(text) and text[end] not in "\r\n":
                    end += 1
            self.note("comment", self.at, end)
            self.file.comments.append(Span(self.at, end))
            match = _SPACE.match(text, end)
            self.at = match.end() if match else end
        between = text[start : self.at]
        return "\n" in between or "\r" in between

    def document(self) -> None:
        self.skip()
        if self.at >= len(self.text):
            raise _Error(self.at, "the file is empty")
        if self.text[self.at] not in "{[" and self._looks_braceless():
            self.note("no-braces", self.at, self.at)
            self.file.root = self.members(self.at, "", 0)
        else:
            self.file.root = self.value(0)
        self.skip()
        if self.at < len(self.text):
            raise _Error(self.at, f"something follows the end of the value: {self.peek()}")

    def _looks_braceless(self) -> bool:
        return re.compile(r"(\"[^\"\n]*\"|[\w.-]+)\s*:").match(self.text, self.at) is not None

    def peek(self) -> str:
        char = self.text[self.at : self.at + 1]
        return repr(char) if char else "the end of the file"

    def value(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise _Error(self.at, f"nested more than {MAX_DEPTH} levels deep")
        start = self.at
        char = self.text[start : start + 1]
        if char == "{":
            self.at += 1
            return self.members(start, "}", depth)
        if char == "[":
            self.at += 1
            return self.items(start, depth)
        if char in ('"', "'"):
            return self.string()
        match = _NUMBER.match(self.text, start)
        if match:
            self.at = match.end()
            node = Scalar(start, self.at, match.group(), "json")
            node._value = float(match.group()) if match.group(1) or match.group(2) else _int(match)
            return node
        match = _WORD.match(self.text, start)
        if match:
            self.at = match.end()
            node = Scalar(start, self.at, match.group(), "json")
            node._value = _WORDS[match.group()]
            if match.group(1) not in ("true", "false", "null"):
                self.note("nan", start, self.at)
            return node
        return self.quoteless(start)

    def quoteless(self, start: int) -> Scalar:
        """An Hjson string without quotes: the rest of the line, whatever stands there."""
        end = start
        while end < len(self.text) and self.text[end] not in "\r\n":
            end += 1
        text = self.text[start:end].rstrip()
        if not text or text[0] in "{}[],:":
            raise _Error(start, f"a value is missing before {self.peek()}")
        self.at = start + len(text)
        self.note("quoteless-string", start, self.at)
        node = Scalar(start, self.at, text, "quoteless")
        node._value = text
        return node

    def string(self) -> Scalar:
        start = self.at
        match = _STRING.match(self.text, start)
        if match:
            self.at = match.end()
            text = self.text[start + 1 : self.at - 1]
        else:
            text = self.long_string(start)
        quote = self.text[start]
        if quote == "'":
            self.note("single-quotes", start, self.at)
        node = Scalar(start, self.at, text, quote)
        node._value = text
        return node

    def long_string(self, start: int) -> str:
        text, quote = self.text, self.text[start]
        if text.startswith("'''", start):
            end = text.find("'''", start + 3)
            if end < 0:
                raise _Error(start, "a string that is never closed", start + 3)
            self.at = end + 3
            return text[start + 3 : end]
        parts: list[str] = []
        at = start + 1
        while True:
            char = text[at : at + 1]
            if char in ("", "\n", "\r"):
                raise _Error(start, "a string that is not closed on its line", at)
            if char == quote:
                break
            if char == "\\":
                sign = text[at + 1 : at + 2]
                if sign == "u":
                    digits = text[at + 2 : at + 6]
                    if not re.fullmatch(r"[0-9a-fA-F]{4}", digits):
                        raise _Error(at, "\\u wants four hexadecimal digits", at + 6)
                    parts.append(chr(int(digits, 16)))
                    at += 6
                    continue
                if sign not in _ESCAPE:
                    raise _Error(at, f"\\{sign} is no escape that JSON knows", at + 2)
                parts.append(_ESCAPE[sign])
                at += 2
                continue
            if char < " ":
                self.note("control-character", at, at + 1)
            parts.append(char)
            at += 1
        self.at = at + 1
        joined = "".join(parts)
        # Two \u escapes may be the halves of one character.
        return joined.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def key(self) -> Scalar:
        if self.text[self.at : self.at + 1] in ('"', "'"):
            return self.string()
        match = _BARE_KEY.match(self.text, self.at)
        if match is None:
            raise _Error(self.at, f"a key in double quotes is wanted here, not {self.peek()}")
        self.note("unquoted-key", self.at, match.end())
        node = Scalar(self.at, match.end(), match.group(), "quoteless")
        node._value = match.group()
        self.at = match.end()
        return node

    def members(self, start: int, close: str, depth: int) -> Mapping:
        node = Mapping(start, start, True)
        self.skip()
        while not self._closed(close, start):
            key = self.key()
            self.skip()
            if self.text[self.at : self.at + 1] != ":":
                raise _Error(self.at, f"':' is wanted after the key, not {self.peek()}")
            self.at += 1
            self.skip()
            node.entries.append(Entry(key, self.value(depth + 1)))
            self.separator(close)
        node.end = self.at
        return node

    def items(self, start: int, depth: int) -> Sequence:
        node = Sequence(start, start, True)
        self.skip()
        while not self._closed("]", start):
            node.items.append(self.value(depth + 1))
            self.separator("]")
        node.end = self.at
        return node

    def _closed(self, close: str, start: int) -> bool:
        if self.at >= len(self.text):
            if close:
                raise _Error(start, f"the file ends before this {self.text[start]} is closed")
            return True
        if close and self.text[self.at] == close:
            self.at += 1
            return True
        return False

    def separator(self, close: str) -> None:
        """Pass the comma behind a value; a missing one is fine for Hjson at a line's end."""
        broken = self.skip()
        char = self.text[self.at : self.at + 1]
        if char == ",":
            comma = self.at
            self.at += 1
            self.skip()
            if self.text[self.at : self.at + 1] == (close or ""):
                self.note("trailing-comma", comma, comma + 1)
            return
        if char == close or char == "":
            return
        if not broken:
            raise _Error(self.at, f"',' or {close!r} is wanted here, not {self.peek()}")
        self.note("missing-comma", self.at, self.at)


def _int(match: re.Match[str]) -> int | float:
    text = match.group()
    return int(text) if len(text) < 4000 else float("inf")
