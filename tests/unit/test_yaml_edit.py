"""Edits on YAML: what they write, seen on whole files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cfglint.fixing.witness import RefusedError, check
from cfglint.model.document import Document
from cfglint.model.edit import Edit
from cfglint.model.tree import Mapping, Scalar, Sequence, find
from cfglint.syntax import editing
from cfglint.syntax.yaml import parse
from cfglint.syntax.yaml_text import fragment, write
from cfglint.text import SourceText


class Sheet:
    """A YAML text and what becomes of it."""

    def __init__(self, text: str) -> None:
        self.document = Document("a.yaml", Path("a.yaml"), SourceText(text), kind="x")
        self.document.tree = parse(self.document.source)
        assert not self.document.problems

    def node(self, *path: str | int) -> Any:
        return find(self.document.root, *path)

    def after(self, edit: Edit | None) -> str:
        assert edit is not None
        return check(self.document, [edit])


@pytest.mark.parametrize(
    ("text", "value", "wanted"),
    [
        ("k: 1  # why\n", 2, "k: 2  # why\n"),
        ("k: '1'\n", "2", "k: '2'\n"),
        ('k: "1"\n', 'a"b', 'k: "a\\"b"\n'),
        ("k: 'x'\n", "it's", "k: 'it''s'\n"),
        ("k: x\n", "29500", 'k: "29500"\n'),
        ("k: x\n", "yes", 'k: "yes"\n'),
        ("k: x\n", "a: b", 'k: "a: b"\n'),
        ("k: x\n", "1e5", 'k: "1e5"\n'),
        ("k: x\n", 1e-5, "k: 1.0e-05\n"),
        ("k: x\n", float("inf"), "k: .inf\n"),
        ("k:\n", 5, "k: 5\n"),
        ("k:\nl: 1\n", "x", "k: x\nl: 1\n"),
        ("k: {a: x}\n", "b, c", 'k: "b, c"\n'),
        ("k:\n- a\n- b\n", 5, "k: 5\n"),
        ("k:  # why\n- a\nl: 1\n", 5, "k:  # why\n  5\nl: 1\n"),
        ("k: |\n  a\n  b\nl: 1\n", "c", "k: c\nl: 1\n"),
        ("k: x\r\nl: 1\r\n", None, "k: null\r\nl: 1\r\n"),
    ],
)
def test_set_value(text: str, value: Any, wanted: str) -> None:
    sheet = Sheet(text)
    node = sheet.document.root.entries[0].value
    assert sheet.after(editing.set_value(sheet.document, node, value)) == wanted


def test_values_in_flow_keep_commas_out() -> None:
    sheet = Sheet("k: {a: x, b: y}\n")
    edit = editing.set_value(sheet.document, sheet.node("k", "a"), "p, q")
    assert sheet.after(edit) == 'k: {a: "p, q", b: y}\n'


def test_shared_values_are_not_edited() -> None:
    sheet = Sheet("a: &x 1\nb: *x\nc: &y {d: 1}\ne: *y\n")
    root = sheet.document.root
    assert editing.set_value(sheet.document, root.entries[0].value, 2) is None
    assert editing.set_value(sheet.document, root.entries[1].value, 2) is None
    edit = editing.set_value(sheet.document, sheet.node("c", "d"), 2)
    assert edit is not None
    with pytest.raises(RefusedError, match="another way"):  # it would change `e` too
        check(sheet.document, [edit])


@pytest.mark.parametrize(
    ("text", "key", "wanted"),
    [
        ("a: 1\nb: 2\nc: 3\n", "b", "a: 1\nc: 3\n"),
        ("a: 1\nb: 2\n", "b", "a: 1\n"),
        ("a: 1\nb: 2", "b", "a: 1\n"),
        ("a: 1\nb:\n  c: 2\n  d: 3\n# e\ne: 4\n", "b", "a: 1\n# e\ne: 4\n"),
        ("{a: 1, b: 2, c: 3}\n", "b", "{a: 1, c: 3}\n"),
        ("{a: 1, b: 2}\n", "b", "{a: 1}\n"),
        ("a: 1\r\nb: 2\r\nc: 3\r\n", "a", "b: 2\r\nc: 3\r\n"),
        ("a: 1\n", "a", "{}\n"),
    ],
)
def test_remove_entry(text: str, key: str, wanted: str) -> None:
    sheet = Sheet(text)
    root = sheet.document.root
    assert sheet.after(editing.remove_entry(sheet.document, root, root.entry(key))) == wanted


def test_a_comment_is_not_removed_with_its_key() -> None:
    sheet = Sheet("a: 1\nb: 2  # why\n")
    root = sheet.document.root
    assert (
        sheet.after(editing.remove_entry(sheet.document, root, root.entry("b"))) == "a: 1\n# why\n"
    )


def test_the_first_key_of_a_list_item() -> None:
    sheet = Sheet("l:\n- a: 1\n  b: 2\n- a: 3\n")
    item = sheet.node("l", 0)
    assert (
        sheet.after(editing.remove_entry(sheet.document, item, item.entry("a")))
        == "l:\n- b: 2\n- a: 3\n"
    )


@pytest.mark.parametrize(
    ("text", "value", "wanted"),
    [
        ("a: 1\n", 2, "a: 1\nnew: 2\n"),
        ("a: 1", 2, "a: 1\nnew: 2"),
        ("a:\n  b: 1\n\n# end\n", "x", "a:\n  b: 1\nnew: x\n\n# end\n"),
        ("a: 1  # why\n", [1, "b"], "a: 1  # why\nnew:\n  - 1\n  - b\n"),
        ("a: 1\n", {"p": 1, "q": {"r": "s"}}, "a: 1\nnew:\n  p: 1\n  q:\n    r: s\n"),
        ("{a: 1}\n", "x: y", '{a: 1, new: "x: y"}\n'),
        ("{}\n", 1, "{new: 1}\n"),
        ("a: 1\r\n", 2, "a: 1\r\nnew: 2\r\n"),
        ("a: |\n  x\n  y\n", 2, "a: |\n  x\n  y\nnew: 2\n"),
    ],
)
def test_insert_entry(text: str, value: Any, wanted: str) -> None:
    sheet = Sheet(text)
    assert (
        sheet.after(editing.insert_entry(sheet.document, sheet.document.root, "new", value))
        == wanted
    )


def test_insert_behind_an_entry() -> None:
    sheet = Sheet("a:\n  b: 1\n  c: 2\nd: 3\n")
    inner = sheet.node("a")
    edit = editing.insert_entry(sheet.document, inner, "new", 9, inner.entry("b"))
    assert sheet.after(edit) == "a:\n  b: 1\n  new: 9\n  c: 2\nd: 3\n"
    assert editing.insert_entry(sheet.document, inner, "b", 9) is None  # it is there


@pytest.mark.parametrize(
    ("text", "number", "wanted"),
    [
        ("l:\n- a\n- b\n- c\n", 1, "l:\n- a\n- c\n"),
        ("l:\n  - a\n  - b\n", 1, "l:\n  - a\n"),
        ("l: [a, b, c]\n", 0, "l: [b, c]\n"),
        ("l: [a, b]\n", 1, "l: [a]\n"),
        ("l:\n- a\n", 0, "l: []\n"),
        ("l:\n- a: 1\n  b: 2\n- c: 3\n", 0, "l:\n- c: 3\n"),
    ],
)
def test_remove_item(text: str, number: int, wanted: str) -> None:
    sheet = Sheet(text)
    items = sheet.node("l")
    assert isinstance(items, Sequence)
    assert sheet.after(editing.remove_item(sheet.document, items, items.items[number])) == wanted


@pytest.mark.parametrize(
    ("text", "value", "wanted"),
    [
        ("l:\n- a\n", "b", "l:\n- a\n- b\n"),
        ("l:\n  - a  # why\n", "x: y", 'l:\n  - a  # why\n  - "x: y"\n'),
        ("l: [a]\n", "b, c", 'l: [a, "b, c"]\n'),
        ("l: []\n", 1, "l: [1]\n"),
        ("l:\n- a", 1, "l:\n- a\n- 1"),
    ],
)
def test_append_item(text: str, value: Any, wanted: str) -> None:
    sheet = Sheet(text)
    assert sheet.after(editing.append_item(sheet.document, sheet.node("l"), value)) == wanted


def test_rename_key() -> None:
    sheet = Sheet("a:\n  'old': 1  # why\n")
    inner = sheet.node("a")
    assert isinstance(inner, Mapping)
    assert (
        sheet.after(editing.rename_key(sheet.document, inner.entries[0], "new"))
        == "a:\n  'new': 1  # why\n"
    )


def test_part_of_a_command_in_a_folded_block() -> None:
    text = "command: >-\n    torchrun --nnodes=2\n    --master-port=29500\n    train.py\n"
    sheet = Sheet(text)
    node = sheet.node("command")
    made = fragment(sheet.document, node)
    assert made is not None
    assert made.text == "torchrun --nnodes=2 --master-port=29500 train.py"
    at = made.text.index("29500")
    assert text[slice(*made.span(at, at + 5))] == "29500"
    assert sheet.after(made.edit(at, at + 5, "0")) == text.replace("29500", "0")


def test_part_of_a_quoted_value() -> None:
    sheet = Sheet('a: "x\\ty\\u00e9z"\n')
    made = fragment(sheet.document, sheet.node("a"))
    assert made is not None
    assert sheet.after(made.edit(3, 4, '"')) == 'a: "x\\ty\\"z"\n'


def test_write() -> None:
    assert write("") == '""'
    assert write("- a") == '"- a"'
    assert write("a\nb", "'") == '"a\\nb"'
    assert write(True) == "true"
    node = Sheet("a: [x]\n").node("a", 0)
    assert isinstance(node, Scalar)
