"""Files of NAME=value lines, as Compose, docker and DeepSpeed read them; hostfiles."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfglint.model.values import Literal, Unknown, Value, Variable
from cfglint.syntax import dotenv, hostfile
from cfglint.text import SourceText

ENV = """\
# cluster
MASTER_ADDR="10.0.0.4"  # quoted
export MASTER_PORT=29500 # comment

HF_HOME='/data/$x'
  SPACED = a b
PASSED_ON
KEY="-----BEGIN
abc
-----END"
FORGOTTEN="10.0.0.5
NEXT=1
not a pair
URL=http://h/#frag
"""


def lines(text: str) -> list[tuple[str, str]]:
    return [(line.kind, line.name) for line in dotenv.parse(SourceText(text)).lines]


def test_lines_and_names() -> None:
    assert lines(ENV) == [
        ("comment", ""),
        ("pair", "MASTER_ADDR"),
        ("pair", "MASTER_PORT"),
        ("blank", ""),
        ("pair", "HF_HOME"),
        ("pair", "SPACED"),
        ("name", "PASSED_ON"),
        ("pair", "KEY"),
        ("pair", "FORGOTTEN"),
        ("pair", "NEXT"),
        ("other", ""),
        ("pair", "URL"),
    ]


@pytest.mark.parametrize(
    ("text", "compose", "docker"),
    [
        ('A="10.0.0.4"', Literal("10.0.0.4"), Literal('"10.0.0.4"')),
        ("A='$x'", Literal("$x"), Literal("'$x'")),
        ("A=1 # note", Literal("1"), Literal("1 # note")),
        ("A=a#b", Literal("a#b"), Literal("a#b")),
        ("A=", Literal(""), Literal("")),
        ("A=# only a note", Literal(""), Literal("# only a note")),
        ("A=${B:-c}", Variable("B", Literal("c"), ":-"), Literal("${B:-c}")),
        ('A="x\\ny"', Literal("x\ny"), Literal('"x\\ny"')),
        ('A="\\$B"', Literal("$B"), Literal('"\\$B"')),
        ('A="x', Unknown('"x'), Literal('"x')),
    ],
)
def test_three_readers(text: str, compose: Value, docker: Value) -> None:
    file = dotenv.parse(SourceText(text))
    (line,) = file.lines
    assert file.meaning(line) == compose
    assert file.meaning(line, "docker") == docker
    # the shell of a node takes the double quotes off a word (pdsh)
    assert file.meaning(line, "deepspeed") == (compose if text == 'A="10.0.0.4"' else docker)


@given(st.text(alphabet="A='\"# \n\r\\$x", max_size=60))
def test_lines_cover_any_text(text: str) -> None:
    source = SourceText(text)
    file = dotenv.parse(source)
    rest = [source.text[a.span.end : b.span.start] for a, b in pairwise(file.lines)]
    assert all(piece in ("\n", "\r", "\r\n") for piece in rest)
    for line in file.lines:
        file.meaning(line)


def test_hostfile() -> None:
    text = "# hosts\nworker-1 slots=4 # fast\n\n  user@w2   slots=8x\nw3 slots = 4\nw4:22\n"
    source = SourceText(text)
    file = hostfile.parse(source)
    assert [(h.name, h.slots, source.slice(h.span)) for h in file.hosts] == [
        ("worker-1", 4, "worker-1"),
        ("user@w2", 8, "user@w2"),
    ]
    assert source.slice(file.hosts[1].slots_span) == "8"
    assert [source.slice(span) for span in file.bad] == ["w3 slots = 4", "w4:22"]
