"""Shell texts as tree-sitter-bash has them: the tree, and what stands where in it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any


@cache
def _language() -> Any:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Language(tree_sitter_bash.language())


@cache
def _parser() -> Any:
    import tree_sitter

    return tree_sitter.Parser(_language())


@cache
def _comment_query() -> Any:
    import tree_sitter

    return tree_sitter.Query(_language(), "(comment) @comment")


@lru_cache(maxsize=1)
def root(text: str) -> Any:
    """The tree of a text; what asks of it more than once does so one time behind the other."""
    return _parser().parse(text.encode("utf-8", "surrogatepass")).root_node


def comments(text: str) -> set[int]:
    """Where the comments of a shell text begin; here-documents hold none."""
    import tree_sitter

    data = text.encode("utf-8", "surrogatepass")
    nodes = tree_sitter.QueryCursor(_comment_query()).captures(root(text))
    starts = [node.start_byte for node in nodes.get("comment", [])]
    if len(data) == len(text):
        return set(starts)
    return {len(data[:start].decode("utf-8", "replace")) for start in starts}


def surroundings(text: str) -> Callable[[int], str]:
    """What tells of an index of a shell text whether it stands in an "array", a "string" (of any
    quotes), a "comment" or "heredoc", at the "start" of a command or elsewhere ("")."""
    top = root(text)

    def find(at: int) -> str:
        byte = len(text[:at].encode("utf-8", "surrogatepass"))
        node = top.descendant_for_byte_range(byte, byte + 1)
        while node is not None:
            if node.type in ("string", "raw_string", "ansi_c_string"):
                return "string"
            if node.type in ("comment", "heredoc_body"):
                return "comment" if node.type == "comment" else "heredoc"
            if node.type in ("command_name", "variable_assignment") and node.start_byte == byte:
                return "start"
            if node.type in ("array", "command_substitution", "command"):
                return "array" if node.type == "array" else ""
            node = node.parent
        return ""

    return find


def here_document(text: str, at: int) -> tuple[int, int] | None:
    """Where the here-document begins and ends that an index of a shell text stands in."""
    data = text.encode("utf-8", "surrogatepass")
    byte = len(text[:at].encode("utf-8", "surrogatepass"))
    node = root(text).descendant_for_byte_range(byte, byte + 1)
    while node is not None and node.type != "heredoc_body":
        node = node.parent
    if node is None:
        return None
    start, end = (
        len(data[:place].decode("utf-8", "surrogatepass"))
        for place in (node.start_byte, node.end_byte)
    )
    return start, end
