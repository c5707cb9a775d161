"""The tokens of texts that have no data tree: what must not change outside of an edit."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\s]+")

Token = tuple[int, str]


def tokens(kind: str, text: str) -> tuple[list[Token], int]:
    """The tokens of a text with their offsets, and how many places its parser could not read."""
    if kind in ("script", "slurm"):
        return _shell(text)
    if kind == "dockerfile":
        return _words(text), _dockerfile_errors(text)
    return _words(text), 0


def _words(text: str) -> list[Token]:
    return [(m.start(), m.group()) for m in _WORD.finditer(text)]


def _shell(text: str) -> tuple[list[Token], int]:
    """The leaves of tree-sitter-bash's tree, each with the kind of what holds it."""
    import tree_sitter
    import tree_sitter_bash

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
    data = text.encode("utf-8", "surrogatepass")
    tree = parser.parse(data)
    starts = _code_points(data)
    found: list[Token] = []
    errors = 0
    cursor = tree.walk()
    while True:
        node = cursor.node
        if node is not None and (node.is_error or node.is_missing):
            errors += 1
        if cursor.goto_first_child():
            continue
        if node is not None and node.end_byte > node.start_byte:
            begin, end = starts[node.start_byte], starts[node.end_byte]
            found.append((begin, text[begin:end]))
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return found, errors


def _code_points(data: bytes) -> list[int]:
    """For each byte offset of UTF-8 text (and its end), the code point it belongs to."""
    points = []
    count = -1
    for byte in data:
        if byte & 0xC0 != 0x80:
            count += 1
        points.append(count)
    points.append(count + 1)
    return points


def _dockerfile_errors(text: str) -> int:
    """How many instructions have a name that no Dockerfile has."""
    known = re.compile(
        r"(?i)^\s*(FROM|RUN|CMD|LABEL|MAINTAINER|EXPOSE|ENV|ADD|COPY|ENTRYPOINT|VOLUME|USER|WORKDIR"
        r"|ARG|ONBUILD|STOPSIGNAL|HEALTHCHECK|SHELL)\b"
    )
    errors = 0
    from cfglint.syntax import dockerfile
    from cfglint.text import SourceText

    for instruction in dockerfile.parse(SourceText(text)).instructions:
        if not known.match(instruction.name):
            errors += 1
    return errors
