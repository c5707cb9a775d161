"""Places in texts: spans lie where they should, and a scalar's letters are found again in the file."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from cfglint.model.document import Document
from cfglint.model.tree import Scalar, walk
from cfglint.syntax import json, yaml
from cfglint.syntax.yaml_text import fragment, scalar_offsets, write
from cfglint.text import LINE_BREAK, SourceText, decode

PIECES = (
    "a", "b: ", "key", "- ", "  ", "\n", "\n  ", "\n    ", '"', "'", "\\n", "\\u00e9", "\\x41", "\\\n", " # c",
    "#", ": ", "|\n", ">\n", ">-\n", "|2\n", "&x ", "*x", "!!str ", "{", "}", "[", "]", ", ", "\u00e9",
    "\U0001f680", "\u2028", "\x85", "\r\n", "\r", "\t", "29500", "1e5", "null", "---\n", "? ", "<<: *x", "''",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@settings(max_examples=800, deadline=None)
@given(text=TEXTS)
def test_yaml_scalars_are_found_again(text: str) -> None:
    source = SourceText(text)
    file = yaml.parse(source)
    for root in file.roots:
        for node in walk(root):
            assert 0 <= node.start <= node.end <= len(text)
            if isinstance(node, Scalar):
                _check(source, node)


def _check(source: SourceText, node: Scalar) -> None:
    offsets = scalar_offsets(source, node)
    if offsets is None:
        return
    assert len(offsets) == len(node.text) + 1
    assert offsets == sorted(offsets)
    assert node.start <= offsets[0]
    for letter, offset in zip(node.text, offsets, strict=False):
        # Itself, an escape, or the line break and blanks that fold to it.
        assert source.text[offset] == letter or source.text[offset] in "\\ \t\r\n\x85\u2028"


WORDS = st.text(alphabet="ab:/ #'\"\\\n\u00e9\U0001f680{}[],-&*!|>%@`", max_size=24)


@settings(max_examples=500, deadline=None)
@given(value=st.one_of(WORDS, st.text(max_size=20), st.sampled_from(("null", "yes", "1e5", "0x1F", "~", "=", "y"))),
       style=st.sampled_from(("", "'", '"')), flow=st.booleans())  # fmt: skip
def test_a_written_string_is_read_as_itself(value: str, style: str, flow: bool) -> None:
    written = write(value, style, flow)
    text = "{k: " + written + "}\n" if flow else f"k: {written}\n"
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    file = yaml.parse(SourceText(text))
    if file.problems:  # a character that YAML does not allow at all
        assert any(not c.isprintable() for c in value), text
        return
    found = file.roots[0].get("k")  # type: ignore[attr-defined]
    assert found.value == value, text
    assert "\n" not in written


@settings(max_examples=300, deadline=None)
@given(value=WORDS, new=WORDS, style=st.sampled_from(("", "'", '"')))
def test_a_fragment_writes_in_its_own_quoting(value: str, new: str, style: str) -> None:
    """Replacing part of a scalar through its fragment gives the text with that part replaced."""
    text = f"k: {write(value, style)}\n"
    document = Document("a.yaml", Path("a.yaml"), SourceText(text))
    document.tree = yaml.parse(document.source)
    node = document.root.get("k")
    made = fragment(document, node)
    if made is None or not made.text:
        return
    low, high = len(made.text) // 3, len(made.text) // 3 * 2 + 1
    edit = made.edit(low, high, new)
    if edit is None:
        return
    changed = text[: edit.span.start] + edit.text + text[edit.span.end :]
    after = yaml.parse(SourceText(changed))
    found = None if after.problems or not after.roots else after.roots[0].get("k")  # type: ignore[attr-defined]
    if node.style == '"':
        assert found is not None
        assert found.text == made.text[:low] + new + made.text[high:], changed


@settings(max_examples=300, deadline=None)
@given(text=st.text(alphabet="{}[]\":, \n\ta1-.e\\u00tfn/*#'", max_size=40))
def test_json_nodes_lie_in_the_text(text: str) -> None:
    file = json.parse(SourceText(text))
    for root in file.roots:
        for node in walk(root):
            assert 0 <= node.start <= node.end <= len(text)
    for problem in file.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
    for deviation in file.deviations:
        assert 0 <= deviation.span.start <= deviation.span.end <= len(text)


@settings(max_examples=300, deadline=None)
@given(text=st.text(alphabet="ab\r\n\u2028\x0b\x85\U0001f680", max_size=30))
def test_lines_and_columns(text: str) -> None:
    source = SourceText(text)
    assert [source.slice(source.line_span(i + 1)) for i in range(len(source.line_starts))] == (
        LINE_BREAK.split(text)
    )
    for offset in range(len(text) + 1):
        line, column = source.position(offset)
        assert source.offset(line, column) == offset


@settings(max_examples=200, deadline=None)
@given(text=st.text(alphabet="ab\r\n\u2028\U0001f680\ufeff", max_size=20), mark=st.booleans(),
       encoding=st.sampled_from(("utf-8", "utf-16-le", "utf-16-be")))  # fmt: skip
def test_bytes_come_back(text: str, mark: bool, encoding: str) -> None:
    data = text.encode(encoding)
    if mark or encoding != "utf-8":
        data = "\ufeff".encode(encoding) + data
    source = decode(data)
    assert source.encode(source.text) == data
    assert not source.text.startswith("\ufeff")
