"""Variables in Compose values and Dockerfile words."""

from __future__ import annotations

import pytest

from cfglint.model.values import Literal, Unknown, Value, Variable
from cfglint.syntax import interpolation as it


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", Literal("plain")),
        ("$$HOME", Literal("$HOME")),
        ("$V", Variable("V")),
        ("${V}", Variable("V")),
        ("${V:-d}", Variable("V", Literal("d"), ":-")),
        ("${V-}", Variable("V", Literal(""), "-")),
        ("${V:?must be set}", Variable("V", None, ":?")),
        ("${V:+x}", Variable("V", Literal("x"), ":+")),
        ("${A:-${B:-c}}", Variable("A", Variable("B", Literal("c"), ":-"), ":-")),
        ("a${V}", Unknown("a${V}")),
        ("$(date)", Unknown("$(date)")),
        ("${V", Unknown("${V")),
        ("${V//a/b}", Unknown("${V//a/b}")),
    ],
)
def test_compose_values(text: str, value: Value) -> None:
    assert it.compose_value(text) == value


def test_parts_cover_the_text() -> None:
    text = "tcp://${H:-h}:$$1$P/"
    parts = it.compose(text)
    assert [text[p.start : p.end] for p in parts] == [
        "tcp://",
        "${H:-h}",
        ":",
        "$$",
        "1",
        "$P",
        "/",
    ]
    assert it.filled(parts[:-2]) == "tcp://h:$1"
    assert it.filled(parts) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"a b"', Literal("a b")),
        ("a\\ b", Literal("a b")),
        ("'$V'", Literal("$V")),
        ('"\\$V"', Literal("$V")),
        ('"a\\b"', Literal("a\\b")),
        ('"$V"', Variable("V")),
        ("${V:-'x y'}", Variable("V", Literal("x y"), ":-")),
        ("x$V", Unknown("x$V")),
        ('"^a$"', Literal("^a$")),
        ("a$1", Unknown("a$1")),
    ],
)
def test_dockerfile_words(text: str, value: Value) -> None:
    assert it.docker_value(text) == value


def test_resolving() -> None:
    known: dict[str, Value] = {
        "E": Literal("5"),
        "EMPTY": Literal(""),
        "ARG": Variable("ARG", Literal("9"), ":-"),
        "BARE": Variable("BARE"),
    }

    def value(text: str) -> Value:
        return it.joined(it.resolved(it.docker_word(text), known.get), text)

    assert value("p$E") == Literal("p5")
    assert value("${EMPTY:-d}") == Literal("d")
    assert value("${EMPTY-d}") == Literal("")
    assert value("$ARG") == Variable("ARG", Literal("9"), ":-")
    assert value("${BARE:-7}") == Variable("BARE", Literal("7"), ":-")
    assert value("${OTHER:-$E}") == Variable("OTHER", Literal("5"), ":-")
    assert value("${E:+yes}") == Literal("yes")
    assert value("p${ARG}") == Unknown("p${ARG}")
    assert it.filled(it.resolved(it.docker_word("p${ARG}"), known.get)) == "p9"
