"""Words: their parts, their quoting, and what is written back into them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cfglint.model.document import Document
from cfglint.model.fragment import Fragment
from cfglint.model.values import Literal, Unknown, Value, Variable
from cfglint.syntax.shell_nested import inner, interpolate
from cfglint.syntax.shell_split import exec_word, split
from cfglint.syntax.shell_words import ShellWord
from cfglint.syntax.shell_write import WordPlace
from cfglint.text import SourceText
from tests.unit.shell import applied


def words(text: str) -> tuple[ShellWord, ...] | None:
    document = Document("run.sh", Path("run.sh"), SourceText(text))
    return split(Fragment("run.sh", text), document)


def word(text: str) -> ShellWord:
    found = words(text)
    assert found is not None
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b  c", ["a", "b", "c"]),
        ("a 'b c' \"d e\"", ["a", "b c", "d e"]),
        ("a\\ b c", ["a b", "c"]),
        ("x='y z'w", None),
        ("a ''", ["a", ""]),
        ("a \\\n  b", ["a", "b"]),
        ('a "\\$b\\"" c', ["a", '$b"', "c"]),
        ("a $'b' \"\\c\"", ["a", "b", "\\c"]),
        ("a b;c", None),
        ("a > b", None),
        ("a | b", None),
        ("a $(b)", None),
        ("a `b`", None),
        ("a # b", None),
        ("a b#c", ["a", "b#c"]),
        ("a\nb", None),
        ("a 'open", None),
        ('a "$(b)"', None),
        ("", []),
    ],
)
def test_split(text: str, expected: list[str] | None) -> None:
    found = words(text)
    assert (None if found is None else [w.text for w in found]) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$A", Variable("A")),
        ("${A}", Variable("A")),
        ("${A:-b c}", Variable("A", Literal("b c"), ":-")),
        ('"${A:-b}"', Variable("A", Literal("b"), ":-")),
        ("${A:-${B:-1}}", Variable("A", Variable("B", Literal("1"), ":-"), ":-")),
        ("${A:?no}", Variable("A", None, ":?")),
        ("${A:+x}", Variable("A", Literal("x"), ":+")),
        ("${A/b/c}", Unknown("${A/b/c}")),
        ("${#A}", Unknown("${#A}")),
        ("$1", Variable("1")),
    ],
)
def test_expansions(text: str, value: Value) -> None:
    assert [part.value for part in word(text).parts] == [value]


def test_spans_of_pieces() -> None:
    text = '--endpoint="$HOST":29500'
    whole = word(text)
    colon = whole.find(":", last=True)
    address, port = whole.cut(whole.find("=") + 1, colon), whole.cut(colon + 1)
    assert text[address.start : address.end] == '"$HOST"'
    assert text[port.start : port.end] == "29500"
    assert whole.find("x") == -1


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("--p=29500", Literal("1"), "--p=1"),
        ('--p="29500"', Literal("1"), '--p="1"'),
        ("--p='29500'", Literal("1"), "--p='1'"),
        ('"--p=29500"', Literal("a b"), '"--p=a b"'),
        ("--p=29500", Literal("a b"), "--p='a b'"),
        ("--p=29500", Literal("it's"), "--p='it'\\''s'"),
        ('"--p=29500"', Literal('a"$b'), '"--p=a\\"\\$b"'),
        ("'--p=29500'", Literal("it's"), None),
        ("--p=29500", Variable("A", Literal("1"), ":-"), "--p=${A:-1}"),
        ("--p=29500", Variable("A", Literal("a b"), ":-"), '--p="${A:-a b}"'),
        ('"--p=29500"', Variable("A", Literal("a b"), ":-"), '"--p=${A:-a b}"'),
        ("'--p=29500'", Variable("A", Literal("1"), ":-"), None),
        ("--p='29500'", Variable("A", Literal("1"), ":-"), "--p=${A:-1}"),
    ],
)
def test_write(text: str, value: Value, expected: str | None) -> None:
    whole = word(text)
    edit = WordPlace(whole.cut(whole.find("=") + 1)).write(value)
    assert (applied(text, edit) if edit else None) == expected


def test_exec_form() -> None:
    document = Document("c.yaml", Path("c.yaml"), SourceText(""))
    plain = exec_word(Fragment("c.yaml", "--p=$A"), document)
    assert plain.text == "--p=$A"
    filled = exec_word(Fragment("c.yaml", "--p=${A:-1} $$B"), document, variables=True)
    assert [p.value for p in filled.parts] == [
        Literal("--p="),
        Variable("A", Literal("1"), ":-"),
        Literal(" "),
        Literal("$"),
        Literal("B"),
    ]
    edit = WordPlace(plain.cut(4)).write(Variable("B"))
    assert edit is None, "nothing would expand it"


def test_text_in_text() -> None:
    text = 'bash -c "torchrun --p=\\$A --q=$B \\"x y\\""'
    outer = words(text)
    assert outer is not None
    nested, known = inner(outer[2], lambda part: part)
    assert nested.text == 'torchrun --p=$A --q=$B "x y"'
    assert [part.value for part in known.values()] == [Variable("B")]
    start = nested.text.index("$A")
    edit = nested.edit(start, start + 2, '"${C:-1}"')
    assert applied(text, edit) == 'bash -c "torchrun --p=\\"\\${C:-1}\\" --q=$B \\"x y\\""'


def test_text_that_compose_goes_over() -> None:
    text = "bash -c 'torchrun --p=$$A --q=${B:-2}'"
    nested, known = interpolate(Fragment("c.yaml", text), lambda part: part)
    assert nested.text == "bash -c 'torchrun --p=$A --q=${B:-2}'"
    assert [part.value for part in known.values()] == [Variable("B", Literal("2"), ":-")]
    assert nested.span(21, 23) == (21, 24), "the doubled sign is one character"


def test_a_name_that_goes_on_on_the_next_line_is_not_known() -> None:
    for text in ("echo $\\\n1", "echo $a\\\nb", 'echo "$a\\\nb"'):
        found = words(text)
        assert found is None or found[1].text is None, text
        assert found is None or not any(isinstance(p.value, Variable) for p in found[1].parts), text


def test_a_name_ends_where_the_next_line_begins_with_a_blank() -> None:
    found = words("torchrun --port=$PORT\\\n  train.py")
    assert found is not None
    assert found[1].parts[-1].value == Variable("PORT")


SIGNS = st.text(alphabet="ab1 \\\"'$-=:{}#\n", max_size=14)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(SIGNS)
def test_split_agrees_with_bash(text: str) -> None:
    """Wherever we say that a text is plain words, bash makes the same words of it."""
    found = words(text)
    if not found or any(w.text is None for w in found):
        return
    if any(sign in text for sign in "{!"):  # brace expansion and history are bash's own
        return
    run = subprocess.run(
        ["bash", "--norc", "-c", f"printf '%s\\0' {text}"], capture_output=True, text=True
    )
    assert run.stdout.split("\0")[:-1] == [w.text for w in found]


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["x=1", 'x="1"', "x='1'", '"x=1"', "'x=1'", "x=\\1", "x=1'2'", "x=$'1'"]),
    st.text(alphabet="ab \"'$\\`;&é-", max_size=8),
)
def test_written_literals_are_read_again(text: str, new: str) -> None:
    whole = word(text.replace("x=", "--x=", 1))
    edit = WordPlace(whole.cut(whole.find("=") + 1)).write(Literal(new))
    if edit is None:
        return
    again = applied(whole.raw, edit)
    run = subprocess.run(
        ["bash", "--norc", "-c", f"printf '%s\\0' {again}"], capture_output=True, text=True
    )
    assert run.stdout.split("\0")[:-1] == ["--x=" + new]
