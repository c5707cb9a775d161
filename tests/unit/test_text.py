"""Text, lines and bytes."""

from __future__ import annotations

import pytest

from cfglint.text import SourceText, Span, UnreadableError, decode


def test_a_line_ends_where_an_editor_ends_it() -> None:
    source = SourceText("a\nb\r\nc\rd\u2028e\x0bf\x85g")
    assert source.line_starts == [0, 2, 5, 7]
    assert [source.slice(source.line_span(n)) for n in (1, 2, 3, 4)] == [
        "a",
        "b",
        "c",
        "d\u2028e\x0bf\x85g",
    ]
    assert source.position(5) == (3, 1)
    assert source.position(len(source.text)) == (4, 8)


def test_columns_count_characters() -> None:
    source = SourceText("\U0001f680\u00e9x: 1")
    assert source.position(source.text.index("x")) == (1, 3)
    assert source.offset(1, 3) == 2
    assert source.offset(99, 99) == len(source.text)


@pytest.mark.parametrize(
    ("text", "newline"), [("a", "\n"), ("a\r\nb\n", "\r\n"), ("a\rb", "\r"), ("a\nb", "\n")]
)
def test_new_lines_take_the_first_break(text: str, newline: str) -> None:
    assert SourceText(text).newline == newline


def test_the_line_around_an_offset() -> None:
    source = SourceText("one\r\ntwo\r\n")
    assert source.line_of(6) == Span(5, 8)
    assert source.line_end_after(6) == 10
    assert source.line_end_after(10) == 10


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"abc", "abc", "utf-8"),
        (b"\xef\xbb\xbfabc", "abc", "utf-8"),
        (b"\xef\xbb\xbf\xef\xbb\xbfabc", "abc", "utf-8"),
        (b"\xff\xfea\x00", "a", "utf-16-le"),
        (b"\xfe\xff\x00a", "a", "utf-16-be"),
        ("\U0001f680".encode(), "\U0001f680", "utf-8"),
        (b"", "", "utf-8"),
    ],
)
def test_decode(data: bytes, text: str, encoding: str) -> None:
    source = decode(data)
    assert (source.text, source.encoding) == (text, encoding)
    assert source.encode(source.text) == data
    assert source.encode("x") == source.bom + "x".encode(encoding)


@pytest.mark.parametrize(
    ("data", "place", "reason"),
    [
        (b"a\nb\xe9", (2, 2), "0xe9"),
        (b"a\n\0", (2, 1), "NUL"),
        (b"\xff", (1, 1), "0xff"),
        (b"\xff\xfea", (1, 1), "UTF-16"),
        (b"\xff\xfe\x00\xd8", (1, 1), "UTF-16"),
    ],
)
def test_bytes_that_are_no_text(data: bytes, place: tuple[int, int], reason: str) -> None:
    with pytest.raises(UnreadableError, match=reason) as caught:
        decode(data)
    assert (caught.value.line, caught.value.column) == place
