"""What a Compose service's `command` or `entrypoint` in string form says that no shell reads.

Compose splits the string into words, in which quotes count, and starts the first of them. What
follows an operator is dropped, a backslash keeps the line break behind it as a character, and a
parenthesis outside of quotes is refused. An `entrypoint` that ends in `sh -c` gets the words one by
one, of which the shell takes the first for its whole script.
Sources: compose-go types/command.go; mattn/go-shellwords, Parse; docker/compose#8512.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cfglint.commands import may_launch
from cfglint.model.edit import Edit, Set, Splice
from cfglint.model.fragment import Fragment
from cfglint.model.readings import Misread
from cfglint.model.tree import Scalar
from cfglint.model.values import Literal
from cfglint.patterns import lazy
from cfglint.syntax import interpolation
from cfglint.syntax.shell_words import ShellWord
from cfglint.syntax.yaml_text import fragment, write
from cfglint.text import Span

if TYPE_CHECKING:
    from cfglint.model.document import Document
    from cfglint.readers.compose_service import Owned, Service

_OPERATOR = lazy(r"&&|\|\||\d*>>?(?:&\d)?|[;&|<]")
_ENDS = lazy(r"(?:[;&|{(]|\b(?:do|then|else))\s*$")
_SHELL = lazy(r"(?:/\S*/)?(?:ba|da|z|a)?sh$")


def misread(service: Service, entrypoint: Sequence[ShellWord] | None) -> list[Misread]:
    """What of a service's strings is misread, the first of each. `entrypoint` are its words."""
    found: list[Misread] = []
    for key in ("entrypoint", "command"):
        owned = service.find(key)
        if owned is None or not service.is_own(owned) or not isinstance(owned.value, Scalar):
            continue
        node = owned.value
        written = fragment(owned.document, node) if isinstance(node.value, str) else None
        if written is None:
            continue
        if key == "command" and entrypoint and _takes_script(entrypoint):
            found += _script(owned, node, written)
        else:
            found += _strings(owned, node, written, key == "command" and not entrypoint)
    return found


def _takes_script(words: Sequence[ShellWord]) -> bool:
    """Whether a command is a shell that takes the next word for its script."""
    texts = [word.text or "" for word in words]
    options = all(text.startswith("-") for text in texts[1:])
    return bool(_SHELL.match(texts[0]) and options and re.fullmatch(r"-\w*c", texts[-1]))


def _script(owned: Owned, node: Scalar, written: Fragment) -> Iterator[Misread]:
    pieces = list(_pieces(node.text))
    blank = next((at for at, sign, quote in pieces if sign.isspace() and not quote), None)
    if blank is None or not node.text[blank:].strip():
        return
    first = node.text[:blank]
    hides = may_launch(node.text[blank:]) or may_launch(node.text)
    edits = _as_list(owned, node, ())
    yield Misread("script", first, written.span(0, blank), hides, edits)


def _strings(owned: Owned, node: Scalar, written: Fragment, alone: bool) -> Iterator[Misread]:
    text = node.text
    breaks: list[tuple[int, str]] = []
    for at, sign, quote in _pieces(text):
        if sign == "\\":
            if _continues(owned.document, written, at, quote):
                breaks.append((at, quote))
        elif sign in "()":
            yield Misread("refused", sign, written.span(at, at + 1), True)
            return
        elif not sign.isspace():
            start = at - 1 if re.search(r"\s\d$", text[:at]) and sign == ">" else at  # 2>&1
            match = _OPERATOR.match(text, start)
            operator = match.group() if match else sign
            span = written.span(start, start + len(operator))
            hides = may_launch(text[at:]) and not may_launch(text[:at])
            edits = _as_list(owned, node, ("bash", "-c")) if alone else ()
            yield Misread("operator", operator, span, hides, edits)
            break
    if breaks:
        joined = [_joined(written, at, quote) for at, quote in breaks]
        span = written.span(breaks[0][0], breaks[0][0] + 1)
        whole = tuple(edit for edit in joined if edit is not None)
        yield Misread("continuation", "\\", span, True, whole if len(whole) == len(joined) else ())


def _joined(written: Fragment, at: int, quote: str) -> Edit | None:
    """The edit that undoes a continuation: outside of quotes a line break is a blank anyway."""
    if not quote:
        return written.edit(len(written.text[:at].rstrip(" \t")), at + 1, "")
    if written.data_path is None:
        return None
    span = Span(written.offset(at), written.offset(at + 2))
    return Edit(written.path, span, "", (Splice(written.data_path, at, at + 2, ""),))


def _pieces(text: str) -> Iterator[tuple[int, str, str]]:
    """The characters that mean something outside of words, each with the quote it stands in: a
    backslash (not in single quotes), blanks, operators, parentheses. Variables are passed over."""
    jumps = {p.start: p for p in interpolation.compose(text) if not isinstance(p.value, Literal)}
    dollars = {p.start for p in interpolation.compose(text) if text.startswith("$$", p.start)}
    quote, before = "", ""
    at = 0
    while at < len(text):
        sign = text[at]
        if at in jumps and not text.startswith("$(", at):
            at, before = jumps[at].end, "x"
            continue
        if at in dollars:
            at, before = at + 2, "$"
            continue
        if sign == "\\" and quote != "'":
            yield at, sign, quote
            at, before = at + 2, "x"
            continue
        if quote == ")":
            quote = "" if sign == ")" else quote
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"`":
            quote = sign
        elif sign == "(" and before == "$":
            quote = ")"
        elif sign.isspace() or sign in "();&|<>":
            yield at, sign, ""
        at, before = at + 1, sign


def _continues(document: Document, written: Fragment, at: int, quote: str) -> bool:
    """Whether a backslash ends a line, and what it then makes of the break is no blank."""
    following = written.text[at + 1 : at + 2]
    if following == "\n":
        # A script's line may break behind an operator.
        return not quote or _ENDS.search(written.text[:at]) is None
    # Folded into a blank: the backslash keeps it, as a part of the next word.
    between = document.source.text[written.offset(at) : written.offset(at + 2)]
    return not quote and following == " " and "\n" in between


def _as_list(owned: Owned, node: Scalar, before: tuple[str, ...]) -> tuple[Edit, ...]:
    """The edit that makes a string the last item of a list; none where it cannot be written."""
    document, source = owned.document, owned.document.source
    text = node.text
    whole = fragment(document, node)
    if whole is None or whole.data_path is None or node.anchor:
        return ()
    if node.style not in ("|", ">"):
        items = ", ".join((*before, write(text.strip(), '"')))
        change = Set(whole.data_path, [*before, text.strip()])
        return (Edit(document.path, node.span, f"[{items}]", (change,)),)
    key = owned.entry.key
    colon = source.text.find(":", key.end, node.start)
    if colon < 0 or source.text[colon + 1 : node.start].strip():
        return ()
    column = key.start - source.line_of(key.start).start
    header_end = source.line_end_after(node.start)
    line = source.text[header_end : source.line_end_after(header_end)]
    inner = len(line) - len(line.lstrip(" "))
    pad = " " * (column + 2 if inner > column + 3 else column)
    new = "".join(f"{source.newline}{pad}- {one}" for one in (*before, ""))
    change = Set(whole.data_path, [*before, text])
    return (Edit(document.path, Span(colon + 1, node.start), new, (change,)),)
