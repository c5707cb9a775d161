"""What is read of a large YAML document in pieces is what is read of it as a whole."""

from __future__ import annotations

import random
from typing import Any

import pytest

from cfglint.fixing import regions
from cfglint.fixing.witness import RefusedError, ruamel_data
from cfglint.syntax import yaml
from cfglint.text import SourceText
from tests.lintcases import CASES

TEXTS = [
    path.read_text()
    for path in sorted(CASES.rglob("*.y*ml"))
    if path.stat().st_size < 3_000 and path.read_bytes().isascii()
]
PIECES = (
    "", "x", "'", '"', "|", ">", "\n", "\n\n", "  ", "y: 1\n", "\n  y: 1\n", ": ", " # c", "#",
    "[", "]", "{", "}", "- a\n", "\\", ",", "? ", "  |\n    k: v\n", "|+\n", "'\nz: '",
    '"\nz: "', "\t", "1", "\r\n",
)  # fmt: skip


def read(text: str) -> Any:
    return yaml.parse(SourceText(text))


def expanded(data: Any, asked: set[str]) -> Any:
    """The data with the texts that stand for entries read."""
    found: dict[Any, Any] = {}
    for name, value in data.items():
        if isinstance(value, str) and value in asked:
            found.update(ruamel_data(value)[0])
        elif isinstance(value, dict) and name not in found:
            found[name] = expanded(value, asked)
        else:
            found[name] = value
    return found


def plain(data: Any) -> Any:
    """The data with tagged values as what they say: ruamel.yaml's own are equal to nothing."""
    if isinstance(data, (list, tuple)):
        return [plain(one) for one in data]
    if isinstance(data, dict):
        return {name: plain(value) for name, value in data.items()}
    tag = getattr(data, "tag", None)
    return data if tag is None else [str(tag), data.value]


def pieces(old: str, new: str) -> tuple[list[Any], list[Any]] | None:
    """The data of both texts from their pieces, None where they are not taken apart."""
    before, after = read(old), read(new)
    if before.problems or after.problems or len(before.roots) != 1 or len(after.roots) != 1:
        return None
    found = regions.changed(old, before.roots[0], new, after.roots[0], ruamel_data)
    if found is None:
        return None
    same = _lines_of_both(old, new)
    return [expanded(found[0][0], same)], [expanded(found[1][0], same)]


def _lines_of_both(old: str, new: str) -> set[str]:
    """Every run of whole lines that stands in both texts."""

    def runs(text: str) -> set[str]:
        lines = text.splitlines(keepends=True)
        return {"".join(lines[a:b]) for a in range(len(lines)) for b in range(a, len(lines) + 1)}

    return runs(old) & runs(new) - {""}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regions, "SMALL", 0)


def test_pieces_are_the_whole() -> None:
    """Any change of a text that both readers still take."""
    chance = random.Random(20261129)
    checked = 0
    for _ in range(1_000):
        old = chance.choice(TEXTS)
        start = chance.randrange(len(old) + 1)
        end = min(len(old), start + chance.choice((0, 0, 1, 3, 12)))
        new = old[:start] + chance.choice(PIECES) + old[end:]
        try:
            found = pieces(old, new)
        except RefusedError:
            continue  # a piece that cannot be read: the fix would not be made
        if found is not None:
            checked += 1
            assert plain(found) == plain((ruamel_data(old), ruamel_data(new))), new
    assert checked > 150


def test_only_what_changes_is_read() -> None:
    old = "a:\n  b: 1\n  c:\n    d: 2\n    e: 3\nf: 4\n"
    new = old.replace("d: 2", "d: 5")
    given: list[str] = []

    def reader(text: str) -> list[Any]:
        given.append(text)
        return ruamel_data(text)

    found = regions.changed(old, read(old).roots[0], new, read(new).roots[0], reader)
    assert given == ["    d: 2\n", "    d: 5\n"]
    rest = {"e": "    e: 3\n"}
    assert found is not None
    assert found[0] == [{"a": {"b": "  b: 1\n", "c": {"d": 2, **rest}}, "f": "f: 4\n"}]
    assert found[1] == [{"a": {"b": "  b: 1\n", "c": {"d": 5, **rest}}, "f": "f: 4\n"}]


@pytest.mark.parametrize(
    "text",
    [
        "a: &x 1\nb: *x\n",  # one part is seen in another
        "%YAML 1.1\n---\na: 1\nb: 2\n",
        "a: 1\nb: 2\n...\n",
        "{a: 1, b: 2}\n",
        "? a\n: 1\nb: 2\n",
        "a: 1\na: 2\n",  # which of them counts
        "- a: 1\n  b: 2\n",
    ],
)
def test_what_is_read_whole(text: str) -> None:
    new = text.replace(": 2", ": 3").replace(": 1", ": 5")
    old, other = read(text).roots[0], read(new).roots[0]
    assert regions.changed(text, old, new, other, ruamel_data) is None
