"""What a Compose service runs: its entrypoint and command, and those of the image it builds.

A list is passed as it is. A string is split into words as a shell would, but no shell sees it: the
split ends at the first operator, and nothing is expanded but Compose's own variables.
Sources: compose-spec 05-services (command, entrypoint); go-shellwords.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from cfglint.model.launch import Setting
from cfglint.model.readings import Unfilled
from cfglint.model.tree import Node, Scalar, target
from cfglint.model.tree import Sequence as Items
from cfglint.model.values import Literal, Unknown, Variable
from cfglint.record import replace
from cfglint.syntax import interpolation
from cfglint.syntax.editing import ListItem
from cfglint.syntax.shell_nested import Known, Nested, interpolate
from cfglint.syntax.shell_scanner import Scanner
from cfglint.syntax.shell_words import Part, ShellWord
from cfglint.syntax.yaml_text import fragment

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.readers.compose_service import Service

_BLANK = " \t\r\n"
_OPERATORS = ";&|<>"


def words(service: Service, key: str, variables: Mapping[str, Setting]) -> list[ShellWord] | None:
    """The words of `command` or `entrypoint`, None where the service does not set it (or to null).

    `variables` are those that the project's `.env` sets.
    """
    owned = service.find(key)
    if owned is None:
        return None
    node = owned.value
    if isinstance(node, Items):
        found: list[ShellWord] = []
        for item in node.items:
            word = _item(owned.document, target(item), variables)
            if word is None:
                return None
            word.fragment.item = ListItem(owned.document, node, item, interpolates=True)
            found.append(word)
        return found
    if not isinstance(node, Scalar) or (node.value is None and not node.style):
        return None
    text = _interpolated(owned.document, node, variables)
    return split(*text, owned.document) if text is not None else None


def _interpolated(
    document: Document, node: Scalar, variables: Mapping[str, Setting]
) -> tuple[Nested, Known] | None:
    written = fragment(document, node)
    if written is None:
        return None
    return interpolate(written, lambda part: resolved(part, variables))


def resolved(part: Part, variables: Mapping[str, Setting]) -> Part:
    """An expansion of Compose with what `.env` says: a default that the host's shell beats."""
    value = part.value
    setting = variables.get(value.name) if isinstance(value, Variable) else None
    if setting is None or not isinstance(value, Variable) or "+" in value.operator:
        return part
    known = setting.value
    if known == Literal("") and value.operator == ":-":
        return part
    return replace(part, value=Variable(value.name, known, ":-"), sources=(setting,))


def unfilled(
    service: Service, own: Mapping[str, Setting], variables: Mapping[str, Setting]
) -> list[Unfilled]:
    """The variables in a service's command that Compose looks up on the host, while the file sets
    them for the container only."""
    found: list[Unfilled] = []
    for key in ("entrypoint", "command"):
        owned = service.find(key)
        if owned is None or not service.is_own(owned):
            continue
        value = owned.value
        nodes = list(map(target, value.items)) if isinstance(value, Items) else [value]
        for at, node in enumerate(nodes):
            if not isinstance(node, Scalar) or "$" not in node.text:
                continue
            before = nodes[at - 1] if at else None
            shell = _SHELL.match(node.text) if len(nodes) == 1 else _is_flag(before)
            found += _unfilled(service, node, own, variables, bool(shell))
    return found


_SHELL = re.compile(r"\s*(?:/\S*/)?(?:ba|da|z|a)?sh\s+-\w*c\b")


def _is_flag(node: Node | None) -> bool:
    return isinstance(node, Scalar) and re.fullmatch(r"-\w*c", node.text) is not None


def _unfilled(
    service: Service,
    node: Scalar,
    own: Mapping[str, Setting],
    variables: Mapping[str, Setting],
    shell: bool,
) -> Iterator[Unfilled]:
    written = fragment(service.document, node)
    for part in interpolation.compose(node.text) if written is not None else ():
        value = part.value
        if not isinstance(value, Variable) or value.operator or value.name in variables:
            continue
        setting = own.get(value.name)
        # One that the container itself gets from the host is there on the host.
        if setting is None or not isinstance(setting.value, Literal) or written is None:
            continue
        name = node.text[part.start : part.end]
        edit = written.edit(part.start, part.end, f"${name}") if shell else None
        yield Unfilled(value.name, written.span(part.start, part.end), setting, edit)


def _item(document: Document, node: Node, variables: Mapping[str, Setting]) -> ShellWord | None:
    if not isinstance(node, Scalar):
        return None
    text = _interpolated(document, node, variables)
    if text is None:
        return None
    inner, known = text
    parts: list[Part] = []
    at = 0
    for start in sorted(known):
        _literal(parts, inner.text, at, start)
        parts.append(known[start])
        at = known[start].end
    _literal(parts, inner.text, at, len(inner.text))
    if not parts:
        parts.append(Part(Literal(""), 0, 0))
    return ShellWord(inner, document, tuple(parts), 0, len(inner.text), False)


def _literal(parts: list[Part], text: str, start: int, end: int) -> None:
    if start < end:
        parts.append(Part(Literal(text[start:end]), start, end))


def split(inner: Nested, known: Known, document: Document) -> list[ShellWord]:
    """The words of a command in string form."""
    text = inner.text
    scanner = Scanner(text, known)
    found: list[ShellWord] = []
    at = 0
    while at < len(text):
        if text[at] in _BLANK or text.startswith("\\\n", at):  # compose_string judges the latter
            at += 1 if text[at] in _BLANK else 2
            continue
        end = _word_end(text, at, known)
        if end == at:
            break  # an operator: go-shellwords drops the rest
        parts = tuple(_unexpanded(part, text) for part in scanner.word(at, end))
        found.append(ShellWord(inner, document, parts, at, end))
        at = end
    return found


def _word_end(text: str, at: int, known: Known) -> int:
    quote = ""
    while at < len(text):
        sign = text[at]
        if at in known:
            at = known[at].end
            continue
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in _BLANK or sign in _OPERATORS:
            break
        at += 2 if sign == "\\" and quote != "'" else 1
    return min(at, len(text))


def _unexpanded(part: Part, text: str) -> Part:
    """An expansion that no shell makes stands for itself."""
    if part.known or isinstance(part.value, Literal):
        return part
    value = part.value
    if isinstance(value, Unknown) and part.quote == "$'":
        return part
    return replace(part, value=Literal(text[part.start : part.end]))
