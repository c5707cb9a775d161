"""Quotes of a shell text, and braces of a variable in it, that are never closed (SYN010).

The grammar's parser guesses on where a quote is missing; here the text is read as a shell reads it,
and what cannot be read so for sure (a `case` in a substitution, where sh and bash differ) says
nothing. Checked against `bash -n` over many scripts with and without faults.
"""

from __future__ import annotations

import re

from cfglint.model.document import Problem
from cfglint.model.fragment import Fragment
from cfglint.patterns import lazy
from cfglint.syntax import bash
from cfglint.text import Span

_PLAIN = lazy(r"[^'\"\\`$#<(){}\n]+")
_IN_DOUBLE = lazy(r"[^\"\\`$]+")
_HERE = lazy(r"<<(?P<tabs>-?)[ \t]*(?P<word>(?:[\w.%+,:/@!~-]|\\.|'[^'\n]*'|\"[^\"\n]*\")+)")
_CASE = re.compile(r"(?:^|[\s;(])case\s")
_SPECIAL = lazy(r"[\w@*#?$!-]")
_MAX_DEPTH = 20
_OTHER_SHELL = re.compile(
    r"\s*#![^\n]*\b(?:fish|t?csh|python[\d.]*|perl|pwsh|zsh|awk|expect|node|ruby|deno|nu)\b"
)
_POSIX = re.compile(r"#![^\n]*\b(?:sh|dash|ash)\b")


def unclosed(fragment: Fragment) -> tuple[int, Problem] | None:
    """Where a quote, or the braces of a variable, opens in a text that end only with it, if
    anything does."""
    text = fragment.text
    if not bash.root(text).has_error or _OTHER_SHELL.match(text):
        return None
    found = _Reader(text).unclosed()
    if found is None:
        return None
    at, before = found
    line = text.find("\n", at)
    sign = "${" if text[at] == "$" else text[at]
    detail = {
        "before": fragment.span(before.start, before.end) if before is not None else None,
        "closer": "}" if sign == "${" else sign,
    }
    what = "these braces" if sign == "${" else f"this quote {sign}"
    verb = "are" if sign == "${" else "is"
    span = fragment.span(at, line if line >= 0 else len(text))
    return at, Problem("SYN010", f"{what} {verb} never closed", span, detail)


class _UnsureError(Exception):
    """What follows cannot be read for sure."""


class _OpenError(Exception):
    """A quote, or the braces of a variable, that are open at the end of the text."""

    def __init__(self, at: int) -> None:
        self.at = at


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.is_posix = _POSIX.match(text) is not None
        self.here: list[tuple[str, bool]] = []  # here-documents whose bodies begin on the next line
        self.long: Span | None = None  # the last string that spans lines
        self.depth = 0

    def unclosed(self) -> tuple[int, Span | None] | None:
        """Where a quote opens that is never closed, and the string over several lines that ends
        before it on its line, which may be the faulty one."""
        try:
            self._code(0, "")
        except _UnsureError:
            return None
        except _OpenError as found:
            long = self.long
            near = long is not None and "\n" not in self.text[long.end : found.at]
            return found.at, long if near else None
        return None

    def _code(self, at: int, closer: str) -> int:
        """Read commands up to what closes them; the index behind that."""
        text, depth, start = self.text, 0, at
        while at < len(text):
            sign = text[at]
            plain = _PLAIN.match(text, at)
            if plain is not None:
                at = plain.end()
            elif sign == "'":
                at = self._single(at)
            elif sign == '"':
                at = self._double(at)
            elif sign == "\\":
                at += 2
            elif sign == "`":
                at = self._backtick(at)
            elif sign == "$":
                at = self._dollar(at)
            elif sign == "#":
                at = self._comment(at)
            elif sign == "<":
                at = self._less(at, closer)
            elif sign == "\n":
                at = self._bodies(at + 1)
            elif sign == "(" and closer == ")":
                depth, at = depth + 1, at + 1
            elif sign == ")" and closer == ")":
                if not depth:
                    if _CASE.search(text, start, at):
                        raise _UnsureError
                    return at + 1
                depth, at = depth - 1, at + 1
            else:
                at += 1
        if closer:
            raise _UnsureError  # a substitution that is not closed, or was not read as it is
        return at

    def _single(self, at: int) -> int:
        end = self.text.find("'", at + 1)
        return self._closed(at, end)

    def _closed(self, at: int, end: int) -> int:
        if end < 0:
            raise _OpenError(at)
        if "\n" in self.text[at:end]:
            self.long = Span(at, end + 1)
        return end + 1

    def _double(self, at: int) -> int:
        text, start = self.text, at
        at += 1
        while at < len(text):
            sign = text[at]
            plain = _IN_DOUBLE.match(text, at)
            if plain is not None:
                at = plain.end()
            elif sign == '"':
                return self._closed(start, at)
            elif sign == "\\":
                at += 2
            elif sign == "`":
                at = self._backtick(at)
            else:
                at = self._dollar(at, True)
        raise _OpenError(start)

    def _backtick(self, at: int) -> int:
        """Pass over an old substitution: the next sign of its kind ends it, whatever it holds."""
        end = at + 1
        while end < len(self.text) and self.text[end] != "`":
            end += 2 if self.text[end] == "\\" else 1
        if end >= len(self.text):
            raise _UnsureError
        return end + 1

    def _dollar(self, at: int, quoted: bool = False) -> int:
        text = self.text
        following = text[at + 1 : at + 2]
        if following == "(":
            self.depth += 1
            if self.depth > _MAX_DEPTH:
                raise _UnsureError
            end = self._code(at + 2, ")")
            self.depth -= 1
            return end
        if following == "{":
            return self._braces(at + 2, quoted)
        if following == "'" and not quoted:
            end = at + 2
            while end < len(text) and text[end] != "'":
                end += 2 if text[end] == "\\" else 1
            return self._closed(at + 1, end if end < len(text) else -1)
        return at + (2 if _SPECIAL.match(text, at + 1) else 1)

    def _braces(self, at: int, quoted: bool) -> int:
        """Read a variable in braces; the index behind them. Quotes count there for bash, in quotes
        as well: `"${x:-it's}"` is open."""
        text, start = self.text, at - 2
        while at < len(text) and text[at] != "}":
            sign = text[at]
            if sign == "'" and quoted and (self.is_posix or text[at - 1] == "$"):
                raise _UnsureError  # sh takes it for a letter behind `:-` and its like
            if sign == "'":
                at = self._single(at)
            elif sign == "`":
                at = self._backtick(at)
            elif sign == '"':
                at = self._double(at)
            elif sign == "$":
                at = self._dollar(at, quoted)
            else:
                at += 2 if sign == "\\" else 1
        if at >= len(text):
            raise _OpenError(start)
        return at + 1

    def _comment(self, at: int) -> int:
        before = self.text[at - 1] if at else "\n"
        if before not in " \t\n;|&()":
            return at + 1
        line = self.text.find("\n", at)
        return line if line >= 0 else len(self.text)

    def _less(self, at: int, closer: str) -> int:
        text = self.text
        if text.startswith("<<<", at):
            return at + 3
        if not text.startswith("<<", at):
            return at + 1
        found = _HERE.match(text, at)
        if found is None or closer or "((" in text[text.rfind("\n", 0, at) + 1 : at]:
            raise _UnsureError  # a shift in arithmetic, or a here-document of a substitution
        word = re.sub(r"\\(.)|['\"]", r"\1", found["word"])
        self.here.append((word, bool(found["tabs"])))
        return found.end()

    def _bodies(self, at: int) -> int:
        """Pass over the bodies of the here-documents that the line before opens."""
        for word, tabs in self.here:
            while True:
                if at >= len(self.text):
                    self.here = []
                    return at
                line = self.text.find("\n", at)
                end = line if line >= 0 else len(self.text)
                found = self.text[at:end].rstrip("\r")
                at = end + 1
                if (found.lstrip("\t") if tabs else found) == word:
                    break
        self.here = []
        return at
