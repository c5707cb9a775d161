"""YAML to the positioned tree."""

from __future__ import annotations

from typing import Any

import pytest

from cfglint.model.scalars import implicit_tag
from cfglint.model.tree import Alias, Mapping, Scalar, Sequence, find, path_of, to_data, walk
from cfglint.syntax.yaml import YamlFile, parse
from cfglint.text import SourceText


def tree(text: str) -> YamlFile:
    file = parse(SourceText(text))
    assert not file.problems, file.problems
    return file


def scalar(text: str, *path: str | int) -> Scalar:
    root = tree(text).root
    assert root is not None
    node = find(root, *path)
    assert isinstance(node, Scalar)
    return node


@pytest.mark.parametrize(
    ("text", "value", "shown"),
    [
        ("k: 29500\n", 29500, "29500"),
        ("k: '29500'\n", "29500", "'29500'"),
        ("k: 1e-5\n", "1e-5", "1e-5"),
        ("k: 1.0e-5\n", 1e-5, "1.0e-5"),
        ("k: NO\n", False, "NO"),
        ("k: 010\n", 8, "010"),
        ("k: 1:30\n", 90, "1:30"),
        ("k: 0x1F\n", 31, "0x1F"),
        ("k: +7\n", 7, "+7"),
        ("k: ~\n", None, "~"),
        ("k:\n", None, ""),
        ("k: y\n", "y", "y"),
        ("k: .inf\n", float("inf"), ".inf"),
        ("k: !!str 29500\n", "29500", "29500"),
        ("k: &a 29500\n", 29500, "29500"),
        ("k: &a !!int '7'\n", 7, "'7'"),
        ("k: !mine x\n", "x", "x"),
        ("k: 99999999999999999999\n", 99999999999999999999, "99999999999999999999"),
        ("k: 0b12\n", "0b12", "0b12"),
        ("k: |\n  a\n  b\n\n", "a\nb\n", "|\n  a\n  b"),
        ('k: "a\\n\U0001f680"\n', "a\n\U0001f680", '"a\\n\U0001f680"'),
    ],
)
def test_value_and_place(text: str, value: Any, shown: str) -> None:
    node = scalar(text, "k")
    assert node.value == value
    assert type(node.value) is type(value)
    assert text[node.start : node.end] == shown


def test_the_value_is_the_safe_loaders() -> None:
    import yaml

    for text in (
        "1_000",
        "1e5",
        "1.5e+3",
        "0o17",
        "1.",
        ".5",
        "2001-01-01",
        "on",
        "Yes",
        "nUll",
        "=",
        "<<",
        "-",
        "0",
    ):
        loaded = (
            yaml.safe_load(f"k: '{text}'".replace("'", ""))
            if text not in ("-", "<<", "=")
            else None
        )
        if loaded is not None:
            assert scalar(f"k: {text}", "k").value == loaded["k"], text


def test_collections_end_with_their_last_child() -> None:
    text = "a:\n  b: 1\n\n# comment\nc:\n- x\n\n"
    root = tree(text).root
    assert isinstance(root, Mapping)
    assert [text[e.span.start : e.span.end] for e in root.entries] == ["a:\n  b: 1", "c:\n- x"]
    assert text[root.start : root.end] == text.rstrip("\n")


def test_anchors_begin_with_their_content() -> None:
    text = "a: &x\n  b: 1\nc: &y {d: 2}\ne: *x\n"
    root = tree(text).root
    assert isinstance(root, Mapping)
    shown = [text[e.value.start : e.value.end] for e in root.entries]
    assert shown == ["b: 1", "{d: 2}", "*x"]
    alias = root.entries[2].value
    assert isinstance(alias, Alias)
    assert root.get("e") is root.get("a")


def test_doubles_and_merges_are_kept() -> None:
    root = tree("base: &b {p: 1, q: 2}\nx:\n  <<: *b\n  q: 3\n  q: 4\n").root
    assert root is not None
    x = find(root, "x")
    assert isinstance(x, Mapping)
    assert [e.name for e in x.entries] == ["<<", "q", "q"]
    assert to_data(x) == {"p": 1, "q": 4}
    assert "<<" not in x
    assert list(x.names()) == ["p", "q"]


def test_a_quoted_merge_sign_is_a_key() -> None:
    root = tree('x: {"<<": {p: 1}}\n').root
    assert root is not None
    assert find(root, "x", "p") is None


def test_several_documents() -> None:
    file = tree("a: 1\n---\nb: 2\n...\n---\n")
    assert [to_data(root) for root in file.roots] == [{"a": 1}, {"b": 2}, None]


def test_anchors_end_with_their_document() -> None:
    assert parse(SourceText("a: &x 1\n---\nb: *x\n")).problems


def test_an_anchor_that_holds_itself() -> None:
    root = tree("a: &x [1, *x]\n").root
    assert root is not None
    assert to_data(root) == {"a": [1, None]}
    assert len(list(walk(root))) == 5


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("a: 1\n b: 2\n", 2, "mapping values"),
        ("a: [1\n", 1, "this [ is never closed"),
        ("a: 1\nb: [1\nc: 2\nd: 3\n", 2, "this [ is never closed"),
        ("a: 1\nb: {c: [1,\n  2\nc: 2\n", 2, "this [ is never closed"),
        ("a:\n  b: {x: 1\n  c: 2\n", 2, "this { is never closed"),
        ("a: [\n  'x',\n  'y' 'z',\n]\nb: 1\n", 3, "expected"),
        ("a: 1\nb: [\n", 2, "this [ is never closed"),
        ("a: [[1], {x: 2},\n", 1, "this [ is never closed"),
        ("a: [x: 1\nb: 2\n", 1, "this [ is never closed"),
        ("a: [1, ]]\n", 1, "expected"),
        ("a: 1\nb 2\nc: 3\n", 2, "expected ':'"),
        ("a: *x\n", 1, "undefined alias"),
        ("a: \x01\n", 1, "U+0001"),
        ("a:\n\tb: 1\n", 2, "cannot start any token"),
        ("a: 'x\nb: 1\n", 1, "this ' is never closed"),
    ],
)
def test_problems_have_a_place(text: str, line: int, says: str) -> None:
    source = SourceText(text)
    (problem,) = parse(source).problems
    assert problem.code == "SYN002"
    assert says in problem.message
    assert source.position(problem.span.start)[0] == line


def test_paths() -> None:
    root = tree("a:\n- b: 1\n  c: [x, {d: y}]\n").root
    assert root is not None
    for path in (("a",), ("a", 0), ("a", 0, "c"), ("a", 0, "c", 1, "d")):
        node = find(root, *path)
        assert node is not None
        assert path_of(root, node) == path
    assert find(root, "a", 1) is None
    assert find(root, "a", "b") is None
    assert path_of(root, Sequence(0, 0, True)) is None


def test_implicit_tags() -> None:
    assert implicit_tag("1e5").endswith(":str")
    assert implicit_tag("12").endswith(":int")
