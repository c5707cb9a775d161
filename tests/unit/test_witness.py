"""A fix that is not what it says it is does not get through."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cfglint.files.loading import parse
from cfglint.fixing import witness
from cfglint.fixing.witness import RefusedError, check, ruamel_data, splice
from cfglint.model.document import Document
from cfglint.model.edit import Append, Change, DropComment, Edit, Insert, Remove, Rename, Set
from cfglint.text import SourceText, Span

YAML = "a: 1  # one\nb: [x, z]\nc: {d: 2}\n"
JSON = '{"a": 1, "b": ["x"]}'


def document(name: str, text: str, kind: str = "x") -> Document:
    made = Document(name, Path(name), SourceText(text), kind=kind)
    made.tree = parse(made.source, name.rpartition(".")[2])
    return made


def edit(text: str, old: str, new: str, *changes: Change) -> Edit:
    at = text.index(old)
    return Edit("f", Span(at, at + len(old)), new, changes)


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("1", "2", (Set((0, "a"), 2),)),
        ("a:", "z:", (Rename((0, "a"), "z"),)),
        ("[x, z]", "[x, z, 3]", (Append((0, "b"), 3),)),
        ("[x, z]", "[x, 3, 4, z]", (Insert((0, "b"), 1, (3, 4)),)),
        ("[x, z]", "[3, 4, x, z]", (Insert((0, "b"), 0, (3,)), Insert((0, "b"), 0, (4,)))),
        ("[x, z]", "[3, z]", (Insert((0, "b"), 0, (3,)), Remove((0, "b", 0)))),
        ("[x, z]", "[x, 3]", (Remove((0, "b", 1)), Insert((0, "b"), 1, (3,)))),
        ("[x, z]", "[z]", (Remove((0, "b", 0)),)),
        ("[x, z]", "[z]", (Set((0, "b"), ["z"]),)),
        ("{d: 2}", "{d: 2, e: 3}", (Set((0, "c", "e"), 3),)),
        ("  # one", "", (DropComment("# one"),)),
    ],
)
def test_what_is_declared_passes(old: str, new: str, changes: tuple[Change, ...]) -> None:
    assert check(document("a.yaml", YAML), [edit(YAML, old, new, *changes)]) == YAML.replace(
        old, new
    )


@pytest.mark.parametrize(
    ("old", "new", "changes", "says"),
    [
        ("1", "2", (), "another way"),
        ("1", "3", (Set((0, "a"), 2),), "another way"),
        ("1", "'2'", (Set((0, "a"), 2),), "another way"),
        ("1", "1.0", (Set((0, "a"), 1),), "another way"),
        ("1", "true", (Set((0, "a"), 1),), "another way"),
        ("1", "2\ne: 3", (Set((0, "a"), 2),), "another way"),
        ("1", "[", (Set((0, "a"), 2),), "not parse"),
        ("  # one", "", (), "a comment would be lost: # one"),
        ("# one", "# two", (), "a comment would be lost"),
        ("b: [x, z]", "", (Remove((0, "q")),), "does not fit"),
        ("[x, z]", "[3, x, z]", (Insert((0, "b"), 1, (3,)),), "another way"),
        ("[x, z]", "[x, z, 3]", (Insert((0, "b"), 3, (3,)),), "does not fit"),
        ("1", "1e-5", (Set((0, "a"), 1e-5),), "another way"),  # a string for YAML 1.1
    ],
)
def test_anything_else_is_refused(
    old: str, new: str, changes: tuple[Change, ...], says: str
) -> None:
    with pytest.raises(RefusedError, match=says):
        check(document("a.yaml", YAML), [edit(YAML, old, new, *changes)])


@pytest.mark.parametrize(
    ("old", "new", "changes", "says"),
    [
        ("1", "2", (), "another way"),
        ("1", "1,", (), "not parse"),
        ("1", "1 /* x */", (), "strict"),
        ('["x"]', '["x",]', (), "strict"),
        ('"a"', "'a'", (), "strict"),
    ],
)
def test_json_stays_strict(old: str, new: str, changes: tuple[Change, ...], says: str) -> None:
    with pytest.raises(RefusedError, match=says):
        check(document("a.json", JSON), [edit(JSON, old, new, *changes)])


def test_lenient_json_keeps_its_comments() -> None:
    text = '{\n  // why\n  "a": 1,\n}'
    assert check(
        document("a.json", text), [edit(text, "1", "2", Set((0, "a"), 2))]
    ) == text.replace("1", "2")
    with pytest.raises(RefusedError, match="comment"):
        check(document("a.json", text), [edit(text, "  // why\n", "")])


def test_edits_must_not_overlap() -> None:
    with pytest.raises(RefusedError, match="overlap"):
        splice("abc", [Edit("f", Span(0, 2), "x"), Edit("f", Span(1, 3), "y")])
    assert splice("abc", [Edit("f", Span(2, 3), "z"), Edit("f", Span(0, 1), "x")]) == "xbz"


@pytest.mark.parametrize(
    ("kind", "name", "text", "old", "new", "good"),
    [
        ("script", "run.sh", "A=1\ntorchrun t.py\n", "1", "2", True),
        ("script", "run.sh", "A=1\ntorchrun t.py\n", "1", "'", False),
        ("script", "run.sh", "A=1\ntorchrun t.py\n", "1\n", "1; ", True),
        ("script", "run.sh", "echo \U0001f680 a b\n", "a", "c d", True),
        ("dockerfile", "Dockerfile", "FROM a\nENV B=1\nRUN x\n", "1", "2", True),
        ("dockerfile", "Dockerfile", "FROM a\nENV B=1\nRUN x\n", "ENV", "EVN", False),
        ("dotenv", ".env", "A=1\nB=2\n", "1", "3", True),
    ],
)
def test_tokens(kind: str, name: str, text: str, old: str, new: str, good: bool) -> None:
    made = Document(name, Path(name), SourceText(text), kind=kind)
    one = edit(text, old, new)
    if good:
        assert check(made, [one]) == text.replace(old, new, 1)
    else:
        with pytest.raises(RefusedError):
            check(made, [one])


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("a: NO\nb: 010\nc: 1:30\n", {"a": False, "b": 8, "c": 90}),
        ("a: 1\na: 2\n", None),
        ("a:  # note\n\n\nb:\n\nc: 1\n", {"a": None, "b": None, "c": 1}),
        ("p: &a {b: 1}\nq: *a\nr:\n  <<: *a\n", {"p": {"b": 1}, "q": {"b": 1}, "r": {"b": 1}}),
    ],
)
def test_the_second_parser(text: str, data: Any) -> None:
    (found,) = ruamel_data(text)
    if data is not None:
        assert found == data


def test_a_number_is_not_a_flag_to_the_second_parser() -> None:
    (found,) = ruamel_data("a: 1\nb: true\nc: 1.0\n")
    assert [type(found[key]) for key in "abc"] == [int, bool, float]


STREAM = "# jobs\n---\na: 1\n--- # second\nb: [x]\nc: '---'\n---\nd: |\n  ---\n  e\n"


def read_by_ruamel(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that ruamel.yaml is given from now on."""
    given: list[str] = []
    real = witness._read_with_ruamel

    def read(text: str, form: str) -> list[Any]:
        given.append(text)
        return real(text, form)

    monkeypatch.setattr(witness, "_read_with_ruamel", read)
    witness._ruamel_data.cache_clear()
    return given


def test_of_several_documents_those_that_change_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    given = read_by_ruamel(monkeypatch)
    change = edit(STREAM, "[x]", "[y]", Set((1, "b", 0), "y"))
    assert check(document("a.yaml", STREAM), [change]) == STREAM.replace("[x]", "[y]")
    assert given == ["--- # second\nb: [x]\nc: '---'\n", "--- # second\nb: [y]\nc: '---'\n"]


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("[x]", "[y]", (Set((0, "b", 0), "y"),)),  # it is in the second document
        ("[x]", "[y]", (Set((1, "b", 0), "y"), Set((2, "d"), "e\n"))),
        ("[x]", "[y]\n---\nf: 1", (Set((1, "b", 0), "y"),)),
        ("a: 1", "a: 2", ()),
    ],
)
def test_of_several_documents_none_changes_unseen(
    old: str, new: str, changes: tuple[Change, ...]
) -> None:
    with pytest.raises(RefusedError):
        check(document("a.yaml", STREAM), [edit(STREAM, old, new, *changes)])


@pytest.mark.parametrize("text", ["%YAML 1.1\n---\na: 1\n---\nb: 2\n", "a: 1\n...\n---\nb: 2\n"])
def test_a_stream_with_other_markers_is_read_whole(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = read_by_ruamel(monkeypatch)
    check(document("a.yaml", text), [edit(text, "b: 2", "b: 3", Set((1, "b"), 3))])
    assert given == [text, text.replace("2\n", "3\n")]


def test_a_text_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    given = read_by_ruamel(monkeypatch)
    for value in 2, 3:
        check(document("a.yaml", "a: 1\n"), [edit("a: 1\n", "1", str(value), Set((0, "a"), value))])
    assert given == ["a: 1\n", "a: 2\n", "a: 3\n"]


def test_tags_that_only_the_round_trip_reader_knows() -> None:
    text = "a: !mine {b: 1}\nc: 2\n"
    assert check(document("a.yaml", text), [edit(text, "2", "3", Set((0, "c"), 3))])
