"""Where a JSON text is at fault, which is often not where its reader stops."""

from __future__ import annotations

import re

from cfglint.text import SourceText, Span

# Strings are passed over; Hjson takes an unquoted word for a string up to the end of its line.
_WORD = re.compile(
    r'"(?:\\.|[^"\\\n])*"'
    r"|(?<=[:\s\[,])(?P<word>True|False|None)(?=[ \t]*(?:[}\]]|,[ \t]*[^\s/#]))"
)
_JSON = {"True": "true", "False": "false", "None": "null"}
_TOKEN = re.compile(r'(?P<key>"(?:\\.|[^"\\\n])*"(?=\s*:))|"(?:\\.|[^"\\\n])*"|[{}\[\]]|[\w.+-]+')
_INDENT = re.compile(r"[ \t]*")
ENDS = "the file ends before this "


def place(source: SourceText, at: int, message: str) -> tuple[Span, str] | None:
    """A better place and message for an error at `at`, None where that one is as good as any."""
    for match in _WORD.finditer(source.text, 0, at + 1):
        if match["word"]:
            word = match["word"]
            return Span(*match.span("word")), f"{word} is Python's: JSON has {_JSON[word]}"
    if not message.startswith(ENDS) and source.text[at : at + 1] not in ("}", "]"):
        return None
    return _left_open(source)


def _left_open(source: SourceText) -> tuple[Span, str] | None:
    """The first line that stands too far to the left for the bracket that is open there."""
    text, line = source.text, Span(-1, -1)
    # The bracket, its line, the indentation of that line; whether what it holds stands further in.
    opened: list[tuple[str, int, int]] = []
    further: list[bool] = []
    for match in _TOKEN.finditer(text):
        at, sign = match.start(), match.group()
        if at >= line.end:
            number = source.position(at)[0]
            line = source.line_span(number)
        begins = _INDENT.match(text, line.start)
        assert begins
        indent, first = begins.end() - line.start, begins.end() == at
        if len(opened) > 1 and first and opened[-1][1] < number:
            bracket, there, column = opened[-1]
            if further[-1] and (indent < column or (indent == column and match["key"])):
                message = f"the {bracket} of line {there} is not closed before this"
                return Span(at, match.end()), message
            further[-1] = further[-1] or indent > column
        if sign in ("{", "["):
            opened.append((sign, number, indent))
            further.append(False)
        elif sign in ("}", "]") and opened:
            opened.pop()
            further.pop()
    return None
