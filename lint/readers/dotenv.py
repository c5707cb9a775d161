"""Env files: what they set for whoever reads them.

Such a file starts nothing. It stands for a launch whose program is not seen, so that a wrong
address or port in it is found where it stands.
"""

from __future__ import annotations

from cfglint.commands.build import take_env
from cfglint.commands.programs import COMMON_ENV
from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.launch import Launch, Network, Setting
from cfglint.model.values import Literal, Value, Variable
from cfglint.syntax.dotenv import Dotenv, Line, Reader, parse, plain
from cfglint.text import Span


def read(document: Document) -> None:
    """Make the one launch that an env file stands for."""
    document.tree = parse(document.source)
    reader: Reader = "deepspeed" if document.kind == "deepspeed-env" else "compose"
    found = variables(document, reader)
    if not found:
        return
    first = min(found.values(), key=lambda setting: setting.span)
    launch = Launch(
        document, first.key_span or first.span, "env", env=found, network=Network("unknown"),
        evaluated="node", complete=False, why_incomplete="the program is not seen",
        label=document.path, env_writer=lambda name, value: add(document, name, value),
    )  # fmt: skip
    take_env(launch, COMMON_ENV)
    document.launches.append(launch)


def variables(document: Document, reader: Reader = "compose") -> dict[str, Setting]:
    """The variables that an env file sets, by name; the last line of a name wins."""
    file = document.tree
    found: dict[str, Setting] = {}
    if not isinstance(file, Dotenv):
        return found
    for line in file.lines:
        if line.kind != "pair" or line.value is None:
            continue
        span = line.value if reader != "compose" else _shown(file, line.value)
        found[line.name] = Setting(
            line.name, file.meaning(line, reader), document, span, line.name, line.name_span,
            origin="env", place=LinePlace(document, line, reader),
        )  # fmt: skip
    return found


def _shown(file: Dotenv, span: Span) -> Span:
    raw = file.source.slice(span)
    if raw[:1] in ("'", '"'):
        end = raw.find(raw[0], 1)
        return Span(span.start, span.start + end + 1) if end > 0 else span
    shorter = plain(file.source, span)
    return shorter if shorter.end > shorter.start else span


class LinePlace:
    """The value of a NAME=value line, as one reader takes it."""

    __slots__ = ("document", "line", "reader")

    def __init__(self, document: Document, line: Line, reader: Reader) -> None:
        self.document = document
        self.line = line
        self.reader = reader

    def write(self, value: Value) -> Edit | None:
        file = self.document.tree
        if self.line.value is None or not isinstance(file, Dotenv):
            return None
        span = self.line.value
        if self.reader == "compose":
            span = _shown(file, span)
        if isinstance(value, Literal):
            text = (
                _quoted(value.text, file.source.slice(span))
                if self.reader == "compose"
                else value.text
            )
            return Edit(self.document.path, span, text)
        if self.reader == "compose" and isinstance(value, Variable):
            default = value.default.text if isinstance(value.default, Literal) else None
            if default is None and value.default is not None:
                return None
            sign = value.operator or (":-" if default is not None else "")
            return Edit(self.document.path, span, f"${{{value.name}{sign}{default or ''}}}")
        return None

    def rename(self, name: str) -> Edit | None:
        span = self.line.name_span
        return Edit(self.document.path, span, name) if span else None

    def remove(self) -> Edit | None:
        source = self.document.source
        end = source.line_end_after(self.line.span.end)
        return Edit(self.document.path, Span(self.line.span.start, end), "")


def _quoted(text: str, old: str) -> str:
    quote = old[:1] if old[:1] in ("'", '"') else ""
    if quote and quote not in text and "\\" not in text:
        return f"{quote}{text}{quote}"
    if text != text.strip() or " #" in text or text[:1] in ("'", '"', "#") or "$" in text:
        return f"'{text}'" if "'" not in text else f'"{text}"'
    return text


def add(document: Document, name: str, value: str) -> Edit | None:
    """The edit that adds a line at the end of an env file."""
    source = document.source
    end = len(source.text)
    broken = not source.text or source.text[-1] in "\r\n"
    text = f"{name}={value}{source.newline}" if broken else f"{source.newline}{name}={value}"
    return Edit(document.path, Span(end, end), text)
