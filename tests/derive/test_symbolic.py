"""The derive scripts on a tiny package: what stands in its source is what comes out."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

DERIVE = Path(__file__).parents[2] / "schemas" / "derive"
sys.path.insert(0, str(DERIVE))

import checks_file  # noqa: E402
from package_source import MISSING, Names, PackageSource, type_of  # noqa: E402
from symbolic import Reading  # noqa: E402

SOURCE = """
from dataclasses import dataclass, field
from enum import Enum

class Mode(str, Enum):
    FAST = "fast"
    SLOW = "slow"

@dataclass
class Base:
    name: str
    mode: Mode | str = Mode.FAST
    sizes: Optional[int] = field(default=16 * 4, metadata={"help": "not copied"})
    derived: int = field(default=0, init=False)
    items: list[str] = field(default_factory=list)
    stamp: str = field(default_factory=now)

    def __post_init__(self):
        self.mode = Mode(self.mode)
        if self.mode == Mode.FAST:
            self.eager = True
        if self.sizes is not None and self.sizes < 1:
            raise ValueError("`sizes` must be positive")
        if is_available() and not self.name:
            raise ValueError(f"no name: {self.name}")

@dataclass
class Arguments(Base):
    eager: bool = False
    kind: Literal["a", "b"] = "a"

    def __post_init__(self):
        Base.__post_init__(self)
        assert self.kind in ["a", "b"], "Invalid kind."

def verify(args):
    if not args.eager:
        return
    if args.kind == "b":
        raise RuntimeError("eager b")
    if something_unknown() and args.kind == "a":
        raise RuntimeError("not decidable")
"""


def package(tmp_path: Path, **modules: str) -> PackageSource:
    for name, text in modules.items():
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
    return PackageSource(tmp_path)


@pytest.fixture
def names(tmp_path: Path) -> Names:
    return Names(package(tmp_path, args=SOURCE).classes("args.py"))


def test_fields_with_inheritance_defaults_and_what_cannot_be_set(names: Names) -> None:
    fields = names.fields("Arguments")
    assert set(fields) == {
        "name", "mode", "sizes", "derived", "items", "stamp", "eager", "kind",
    }  # fmt: skip
    assert fields["name"].required
    assert fields["mode"].default == "fast"
    assert fields["sizes"].default == 64
    assert fields["items"].default == []
    assert fields["stamp"].default is MISSING
    assert not fields["derived"].settable


@pytest.mark.parametrize(
    ("field", "types", "choices"),
    [
        ("name", ["str"], None),
        ("mode", ["str"], ["fast", "slow"]),
        ("sizes", ["int", "null"], None),
        ("items", ["list"], None),
        ("kind", ["str"], ["a", "b"]),
    ],
)
def test_types_and_choices(
    names: Names, field: str, types: list[str], choices: list[Any] | None
) -> None:
    assert type_of(names.fields("Arguments")[field].annotation, names) == (types, choices)


def read(tmp_path: Path) -> Reading:
    source = package(tmp_path, args=SOURCE)
    names = Names(source.classes("args.py"))
    keys = {f.name for f in names.fields("Arguments").values() if f.settable}
    reading = Reading(
        names, keys, {"self", "args"}, source.functions("args.py"), assume={"is_available": True}
    )
    reading.method("Arguments", "__post_init__")
    reading.function("verify")
    return reading


def test_checks_are_conditions_on_what_was_given(tmp_path: Path) -> None:
    reading = read(tmp_path)
    assert {"tries": ["enum", "$mode", "Mode"]} in reading.checks
    by_message = {c["says"]: c for c in reading.checks if "says" in c}
    assert by_message["`sizes` must be positive"] == {
        "when": ["and", ["isnot", "$sizes", None], ["<", "$sizes", 1]],
        "error": "ValueError",
        "says": "`sizes` must be positive",
    }
    assert by_message["no name: {}"]["when"] == ["not", "$name"]
    assert by_message["Invalid kind."]["when"] == ["notin", "$kind", ["list", "a", "b"]]
    assert "not decidable" not in by_message


def test_assignments_carry_over_to_later_functions(tmp_path: Path) -> None:
    reading = read(tmp_path)
    check = next(c for c in reading.checks if c.get("says") == "eager b")
    assert check["when"] == ["and", "#eager.1", ["==", "$kind", "b"]]
    assert reading.bound["eager.1"] == ["if", ["==", "#mode.1", "fast"], True, "$eager"]
    assert reading.bound["mode.1"] == ["enum", "$mode", "Mode"]
    assert reading.settled() == {"eager": "#eager.1", "mode": "#mode.1"}


def release(checks: list[dict[str, Any]], **bound: Any) -> dict[str, Any]:
    keys = {"kind": {"type": "str"}}
    return {
        "sections": {"": {"unknown": "refuse", "keys": keys}},
        "checks": checks, "bound": bound, "settled": {}, "enums": {},
    }  # fmt: skip


def test_folding_says_which_releases_make_a_check() -> None:
    old, new = {"tries": ["len", "$a"]}, {"tries": ["int", "$a"]}
    data = checks_file.fold(
        "p",
        {
            "1.0": release([old], x=1),
            "1.9": release([old, new], x=1),
            "1.10": release([new], x=2),
        },
        {"kind": "sort"},
    )
    assert data["versions"] == ["1.0", "1.9", "1.10"]
    assert {**old, "until": "1.9"} in data["checks"]
    assert {**new, "since": "1.9"} in data["checks"]
    assert data["bound"]["x"] == [{"is": 2, "since": "1.10"}, {"is": 1, "until": "1.9"}]
    assert data["sections"][""]["keys"]["kind"]["replaced_by"] == "sort"


@pytest.mark.parametrize("package", ["llamafactory", "transformers"])
def test_the_data_unfold_into_releases_and_fold_back(package: str) -> None:
    data = json.loads((DERIVE.parent / f"{package}.json").read_text(encoding="utf-8"))
    releases = checks_file.expand(data)
    assert list(releases) == data["versions"]
    replaced = {
        key: spec["replaced_by"]
        for section in data["sections"].values()
        for key, spec in section["keys"].items()
        if "replaced_by" in spec
    }
    assert checks_file.fold(package, releases, replaced) == data


def test_the_file_has_one_check_a_line() -> None:
    data = checks_file.fold("p", {"1.0": release([{"tries": ["len", "$a"]}])}, {})
    assert '\n  {"tries": ["len", "$a"]}\n' in checks_file.text_of(data)
