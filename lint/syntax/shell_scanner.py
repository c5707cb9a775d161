"""Reads shell words: quoting, escapes and expansions of a raw text become parts.

The grammar around words is the business of `cfglint.syntax.shell`. Expansions stay symbolic here:
whoever knows the variables resolves them.
"""

from __future__ import annotations

import re

from cfglint.model.values import Literal, Unknown, Value, Variable
from cfglint.record import replace
from cfglint.syntax.interpolation import MAX_LENGTH, MAX_NESTED
from cfglint.syntax.shell_words import Part, combined

_SPECIAL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_OPERATORS = (":-", ":=", ":?", ":+", "-", "=", "?", "+")
_MAX_NESTING = 20  # defaults inside defaults; deeper ones are not followed
_JOINED = re.compile(r"(?:\\\r?\n)+[\w({]")  # no shell sees such a line break
_SIGN = re.compile(r"[\\'\"$`]")
_PLAIN_RUN = re.compile(r"[^\\'\"$`]+")
_DOUBLE_RUN = re.compile(r'[^\\"$`]+')


class Scanner:
    """Reads the parts of words. `known` maps ranges of the text to parts expanded beforehand."""

    def __init__(self, text: str, known: dict[int, Part] | None = None) -> None:
        self.text = text
        self.known = known or {}
        self._depth = 0

    def literal(self, start: int, end: int) -> str | None:
        """The text of a word that is nothing but literal, None where somebody has to look."""
        if self.known or start >= end or _SIGN.search(self.text, start, end) is not None:
            return None
        return self.text[start:end] if end - start <= MAX_LENGTH else None

    def word(self, start: int, end: int) -> tuple[Part, ...]:
        """The parts of the word that stands between two indices."""
        text, at = self.text, start
        parts: list[Part] = []
        while at < end:
            sign = text[at]
            if sign == "'":
                close = text.find("'", at + 1, end)
                close = end if close < 0 else close
                run = (at, min(close + 1, end))
                self._literal(parts, at + 1, close, "'", run)
                at = run[1]
            elif sign == '"':
                at = self._double(parts, at, end)
            elif sign == "\\":
                if at + 1 >= end:
                    parts.append(Part(Literal("\\"), at, end))
                    at = end
                elif text[at + 1] not in ("\n", "\r"):
                    parts.append(Part(Literal(text[at + 1]), at, at + 2))
                    at += 2
                else:
                    at += 3 if text.startswith("\r\n", at + 1) else 2
            elif sign == "$" and text[at + 1 : at + 2] in ("'", '"'):
                at = self._dollar_quote(parts, at, end)
            elif sign in "$`":
                part = self.expansion(at, end, "", (0, 0))
                parts.append(part)
                at = part.end
            else:
                match = _PLAIN_RUN.match(text, at, end)
                assert match
                self._literal(parts, at, match.end(), "", (0, 0))
                at = match.end()
        return tuple(parts)

    def _literal(
        self, parts: list[Part], start: int, end: int, quote: str, run: tuple[int, int]
    ) -> None:
        """Literal text, except where something was expanded beforehand; an empty run is a part."""
        at = start
        if self.known:
            for place in sorted(p for p in self.known if start <= p < end):
                part = self.known[place]
                if place > at:
                    parts.append(Part(Literal(self.text[at:place]), at, place, quote, run))
                parts.append(replace(part, quote=quote, run=run))
                at = part.end
        if at < end or (at == start and quote):
            parts.append(Part(Literal(self.text[at:end]), at, end, quote, run))

    def _double(self, parts: list[Part], start: int, end: int) -> int:
        text, at = self.text, start + 1
        found: list[Part] = []
        while at < end and text[at] != '"':
            if text[at] == "\\":
                following = text[at + 1 : at + 2]
                if following in ("$", "`", '"', "\\") and following:
                    found.append(Part(Literal(following), at, at + 2, '"'))
                elif following not in ("\n", "\r"):
                    found.append(Part(Literal(text[at : at + 2]), at, at + 2, '"'))
                at += 3 if text.startswith("\r\n", at + 1) else 2
            elif text[at] in "$`":
                part = self.expansion(at, end, '"', (0, 0))
                found.append(part)
                at = part.end
            else:
                match = _DOUBLE_RUN.match(text, at, end)
                assert match
                found.append(Part(Literal(match.group()), at, match.end(), '"'))
                at = match.end()
        run = (start, min(at + 1, end))
        if not found:
            found.append(Part(Literal(""), start + 1, start + 1, '"'))
        for part in found:
            part.run = run
        parts.extend(found)
        return run[1]

    def document(self, start: int, end: int) -> tuple[Part, ...]:
        """The parts of a here-document, in which quotes mean nothing."""
        parts: list[Part] = []
        at = start
        while at < end:
            sign = self.text[at]
            if sign == "\\" and self.text[at + 1 : at + 2] in ("$", "`", "\\", "\n"):
                escaped = self.text[at + 1]
                if escaped != "\n":
                    parts.append(Part(Literal(escaped), at, at + 2, "<<"))
                at += 2
            elif sign in "$`":
                part = self.expansion(at, end, "<<", (0, 0))
                parts.append(part)
                at = part.end
            else:
                match = re.compile(r"[^$`\\]+|\\").match(self.text, at, end)
                assert match
                parts.append(Part(Literal(match.group()), at, match.end(), "<<"))
                at = match.end()
        return tuple(parts)

    def _dollar_quote(self, parts: list[Part], start: int, end: int) -> int:
        if self.text[start + 1] == '"':
            return self._double(parts, start + 1, end)
        at = start + 2
        while at < end and self.text[at] != "'":
            at += 2 if self.text[at] == "\\" else 1
        raw = self.text[start + 2 : at]
        value: Value = Unknown(raw) if "\\" in raw else Literal(raw)
        run = (start, min(at + 1, end))
        parts.append(Part(value, start + 2, min(at, end), "$'", run))
        return run[1]

    def expansion(self, at: int, end: int, quote: str, run: tuple[int, int]) -> Part:
        """The `$...` or backquoted expansion that begins at `at`."""
        if at in self.known:
            part = self.known[at]
            return Part(
                part.value, part.start, part.end, quote, run, True, part.sources, part.partial
            )
        text = self.text
        if text[at] == "`":
            close = text.find("`", at + 1, end)
            stop = end if close < 0 else close + 1
            return Part(Unknown(text[at:stop]), at, stop, quote, run)
        following = text[at + 1 : at + 2]
        if following == "(":
            stop = min(closing(text, at + 1), end)
            return Part(Unknown(text[at:stop]), at, stop, quote, run)
        if following == "{":
            stop = min(closing(text, at + 1), end)
            return Part(self._braced(at + 2, stop - 1), at, stop, quote, run)
        if following == "[":  # the old form of $((...))
            stop = min(closing(text, at + 1), end)
            return Part(Unknown(text[at:stop]), at, stop, quote, run)
        match = _SPECIAL.match(text, at + 1, end)
        stop = match.end() if match is not None else at + 1
        if _JOINED.match(text, stop, end):  # a name that goes on on the next line
            return Part(Unknown(text[at:stop]), at, stop, quote, run)
        if not match:
            return Part(Literal("$"), at, at + 1, quote, run)
        return Part(Variable(match.group()), at, stop, quote, run)

    def _braced(self, start: int, end: int) -> Value:
        match = _SPECIAL.match(self.text, start, end)
        if match:
            if match.end() == end:
                return Variable(match.group())
            for operator in _OPERATORS:
                if self.text.startswith(operator, match.end()):
                    rest = match.end() + len(operator)
                    if operator in (":?", "?"):
                        return Variable(match.group(), None, operator)
                    if self.text.count("${", rest, end) > MAX_NESTED:
                        break
                    if self._depth > _MAX_NESTING:
                        break
                    self._depth += 1
                    default = combined(self.word(rest, end), self.text[rest:end])
                    self._depth -= 1
                    return Variable(match.group(), default, operator)
        return Unknown("${" + self.text[start:end] + "}")


_PAIRS = {"(": ")", "{": "}", "[": "]"}
_BRACKETS = {
    "(": re.compile(r"[()\\'\"]"),
    "{": re.compile(r"[{}\\'\"]"),
    "[": re.compile(r"[][\\'\"]"),
}


def closing(text: str, at: int) -> int:
    """The index behind the bracket that closes the one at `at`, quotes respected."""
    opening = text[at]
    signs = _BRACKETS[opening]
    depth, quote = 0, ""
    while at < len(text):
        found = signs.search(text, at)
        if found is None:
            break
        at = found.start()
        sign = text[at]
        if sign == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign == opening:
            depth += 1
        elif sign == _PAIRS[opening]:
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    return len(text)
