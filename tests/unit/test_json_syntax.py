"""JSON as its readers take it: strict, lenient, and what each departure is."""

from __future__ import annotations

import json as strict_json
from pathlib import Path
from typing import Any

import pytest

from cfglint.fixing.witness import check
from cfglint.model.document import Document
from cfglint.model.tree import Mapping, find, to_data
from cfglint.syntax import editing
from cfglint.syntax.json import JsonFile, parse
from cfglint.text import SourceText


def read(text: str) -> JsonFile:
    return parse(SourceText(text))


@pytest.mark.parametrize(
    "text",
    ['{"a": 1, "b": [true, false, null, 1.5, -2e3, "x\\n\\u00e9"], "c": {}}', "[]", '"x"', "1", '{"a": NaN}',
     '{"a": 5e8}', '{"a": "\\ud83d\\ude80"}', ' \n{"a" :\t1}\r\n', '{"": 0}', '{"a": 1, "a": 2}'],
)  # fmt: skip
def test_strict(text: str) -> None:
    file = read(text)
    assert file.strict, (file.problems, file.deviations)
    assert file.root is not None
    found, wanted = to_data(file.root), strict_json.loads(text)
    assert found == wanted or str(found) == str(wanted)  # NaN


@pytest.mark.parametrize(
    ("text", "kinds", "data"),
    [
        ('{"a": 1,}', ["trailing-comma"], {"a": 1}),
        ('{"a": 1 // x\n}', ["comment"], {"a": 1}),
        ('{# x\n"a": 1}', ["comment"], {"a": 1}),
        ('{/* x */"a": 1}', ["comment"], {"a": 1}),
        ("{'a': 1}", ["single-quotes"], {"a": 1}),
        ("{a: 1}", ["unquoted-key"], {"a": 1}),
        ('{"a": 1\n"b": 2}', ["missing-comma"], {"a": 1, "b": 2}),
        ('{"a": auto\n}', ["quoteless-string"], {"a": "auto"}),
        ('"a": 1', ["no-braces"], {"a": 1}),
        ('{"a": "x\ty"}', ["control-character"], {"a": "x\ty"}),
        ("[1, 2,]", ["trailing-comma"], [1, 2]),
    ],
)
def test_lenient(text: str, kinds: list[str], data: Any) -> None:
    file = read(text)
    assert not file.problems
    assert not file.strict
    assert [d.kind for d in file.deviations] == kinds
    assert file.root is not None
    assert to_data(file.root) == data


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("", (1, 1), "empty"),
        ('{"a": 1', (1, 1), "ends before this { is closed"),
        ('{"a":\n [1,\n 2\n', (2, 2), "ends before this [ is closed"),
        ('{"a": }', (1, 7), "missing"),
        ('{"a" 1}', (1, 6), "':' is wanted"),
        ('{\n"a": 1 "b": 2}', (2, 8), "','"),
        ('{"a": "x\n"}', (1, 7), "not closed"),
        ('{"a": "\\q"}', (1, 8), "escape"),
        ('{"a": "\\u12"}', (1, 8), "hexadecimal"),
        ("{} {}", (1, 4), "follows the end"),
        ("{/* x", (1, 2), "never closed"),
        ('{"a": {"b": True}, "c": 1}', (1, 13), "True is Python's: JSON has true"),
        ('{\n  "a": {\n    "b": None }\n}', (3, 10), "None is Python's"),
        ('{\n  "a": {\n    "b": 1\n  "c": 2\n}', (4, 3), "the { of line 2 is not closed"),
        ('{\n  "a": {\n    "b": [\n      1\n  },\n  "c": 2\n}', (5, 3), "the [ of line 3 is"),
        ('{\n  "a": {\n    "b": {\n      "c": 1\n  },\n  "d": 2\n}', (5, 3), "of line 3"),
        ('{\n"a": {\n"b": 1,\n"c": 2\n}', (1, 1), "ends before this { is closed"),
        ("{]", (1, 2), "key"),
    ],
)
def test_problems(text: str, place: tuple[int, int], says: str) -> None:
    source = SourceText(text)
    (problem,) = parse(source).problems
    assert problem.code == "SYN003"
    assert says in problem.message
    assert source.position(problem.span.start) == place


def test_places() -> None:
    text = '{\n  "zero_optimization": {"stage": 3}\n}'
    root = read(text).root
    assert root is not None
    node = find(root, "zero_optimization", "stage")
    assert node is not None
    assert text[node.start : node.end] == "3"
    assert isinstance(root, Mapping)
    assert text[slice(*root.entries[0].span)] == '"zero_optimization": {"stage": 3}'


def test_a_byte_order_mark_is_a_deviation() -> None:
    assert not parse(SourceText("{}", bom=b"\xef\xbb\xbf")).strict


# -- edits -------------------------------------------------------------------------------------


def after(text: str, act: Any) -> str:
    document = Document("a.json", Path("a.json"), SourceText(text), kind="x")
    document.tree = parse(document.source)
    edit = act(document, document.root)
    assert edit is not None
    return check(document, [edit])


SHEET = '{\n    "a": 1,\n    "b": {"c": 2, "d": 3},\n    "e": [1, 2]\n}\n'


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        ("a", '{\n    "b": {"c": 2, "d": 3},\n    "e": [1, 2]\n}\n'),
        ("b", '{\n    "a": 1,\n    "e": [1, 2]\n}\n'),
        ("e", '{\n    "a": 1,\n    "b": {"c": 2, "d": 3}\n}\n'),
    ],
)
def test_remove_entry(key: str, wanted: str) -> None:
    assert after(SHEET, lambda d, r: editing.remove_entry(d, r, r.entry(key))) == wanted


def test_remove_within_a_line() -> None:
    inner = lambda r: find(r, "b")  # noqa: E731
    assert after(
        SHEET, lambda d, r: editing.remove_entry(d, inner(r), inner(r).entry("c"))
    ) == SHEET.replace('"c": 2, ', "")
    assert after(
        SHEET, lambda d, r: editing.remove_entry(d, inner(r), inner(r).entry("d"))
    ) == SHEET.replace(', "d": 3', "")


def test_insert_entry() -> None:
    wanted = SHEET.replace("[1, 2]\n", '[1, 2],\n    "new": "x"\n')
    assert after(SHEET, lambda d, r: editing.insert_entry(d, r, "new", "x")) == wanted
    wanted = SHEET.replace('"d": 3}', '"d": 3, "new": {"p": 1}}')
    assert (
        after(SHEET, lambda d, r: editing.insert_entry(d, find(r, "b"), "new", {"p": 1})) == wanted
    )
    assert after("{}", lambda d, r: editing.insert_entry(d, r, "new", 1)) == '{"new": 1}'


def test_a_comment_stays_on_its_line() -> None:
    text = '{\n  "a": 1, // one\n  "b": 2 // two\n}'
    assert after(text, lambda d, r: editing.insert_entry(d, r, "c", 3)) == (
        '{\n  "a": 1, // one\n  "b": 2, // two\n  "c": 3\n}'
    )
    assert after(text, lambda d, r: editing.insert_entry(d, r, "c", 3, r.entry("a"))) == (
        '{\n  "a": 1, // one\n  "c": 3,\n  "b": 2 // two\n}'
    )


def test_lists() -> None:
    assert after(SHEET, lambda d, r: editing.append_item(d, find(r, "e"), "x")) == SHEET.replace(
        "2]", '2, "x"]'
    )
    assert after(
        SHEET, lambda d, r: editing.remove_item(d, find(r, "e"), find(r, "e", 0))
    ) == SHEET.replace("[1, 2]", "[2]")


def test_rename_and_set() -> None:
    assert after(SHEET, lambda d, r: editing.rename_key(d, r.entry("a"), "z")) == SHEET.replace(
        '"a"', '"z"'
    )
    assert after(SHEET, lambda d, r: editing.set_value(d, find(r, "a"), "auto")) == SHEET.replace(
        '"a": 1', '"a": "auto"'
    )
