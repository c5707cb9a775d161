"""Faults of a mapping: where they stand, what is accepted, what was meant."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfglint.model.tree import Mapping
from cfglint.releases.data import Package, Section, Spec, combine, load
from cfglint.releases.validate import Fault, _validator, accepted, check, meant
from cfglint.syntax import yaml
from cfglint.text import decode

RAW: dict[str, Any] = {
    "package": "toy",
    "versions": ["1.0", "1.9", "1.10"],
    "sections": {
        "": {
            "unknown": "refuse",
            "keys": {
                "count": {"type": "int", "min": 1, "max": 8, "required": True},
                "mode": {"type": ["null", "str"], "choices": ["fast", "SLOW"], "fold": True},
                "flag": {"type": ["bool", "truth_text"]},
                "rate": {"type": ["number", "number_text"], "above": 0},
                "names": {"type": "list", "items": {"type": "str"}, "length": [1, 3]},
                "inner": {"type": "mapping"},
                "sizes": {"type": "mapping", "values": {"type": "int"}},
                "old": {"type": "int", "until": "1.9", "replaced_by": "count"},
                "new": {"type": "int", "since": "1.9"},
                "stage": {"type": ["bool", "int", "str"], "choices": [False, 1, 2, "1", "2"]},
                "size": {"type": "whole", "min": 0},
                "none": {"type": "never"},
                "kind": {
                    "type": "str",
                    "choices": ["a", "b", "c"],
                    "history": [{"versions": "1.0..1.9", "choices": ["a", "b"]}],
                },
                "gone": {"history": [{"versions": "1.9..1.9", "missing": True}]},
            },
        },
        "inner": {
            "unknown": "ignore",
            "prefix": "in_",
            "keys": {"in_depth": {"type": "int"}, "in_width": {"type": "int", "aliases": ["wide"]}},
        },
    },
    "tables": {"words": {"values": ["x"], "history": [{"versions": "1.0..1.0", "values": ["y"]}]}},
}
TOY = Package(RAW)


def top(version: str | None = None) -> Section:
    section = TOY.at(version).section("")
    assert section is not None
    return section


def found(text: str, section: Section | None = None) -> list[Fault]:
    root = yaml.parse(decode(text.encode())).root
    assert isinstance(root, Mapping)
    return check(root, section or top())


def only(text: str) -> Fault:
    faults = found(text)
    assert len(faults) == 1, faults
    return faults[0]


GOOD = "count: 2\nmode: Slow\nflag: 'yes'\nrate: 1.5\nnames: [a]\ninner: {depth: 1, wide: 2}\n"


def test_a_right_file_needs_no_jsonschema(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cfglint.releases.validate._validator", None)
    assert found(GOOD) == []


@pytest.mark.parametrize(
    ("line", "kind", "key"),
    [
        ("count: '2'", "type", "count"),
        ("count: 2.0", "type", "count"),
        ("count: true", "type", "count"),
        ("count: 9", "range", "count"),
        ("count: 1\nmode: quick", "choice", "mode"),
        ("count: 1\nflag: maybe", "type", "flag"),
        ("count: 1\nflag: 1", "type", "flag"),
        ("count: 1\nstage: 2.0", "type", "stage"),
        ("count: 1\nstage: true", "choice", "stage"),
        ("count: 1\nstage: 0", "choice", "stage"),
        ("count: 1\nsize: 2.5", "type", "size"),
        ("count: 1\nnone: 1", "type", "none"),
        ("count: 1\nrate: 0", "range", "rate"),
        ("count: 1\nrate: 'fast'", "type", "rate"),
        ("count: 1\nnames: []", "length", "names"),
        ("count: 1\nnames: [a, 2]", "type", "names"),
        ("count: 1\nsizes: {a: b}", "type", "a"),
        ("count: 1\ninner: 3", "type", "inner"),
        ("count: 1\ninner: {depth: x}", "type", "depth"),
        ("count: 1\ninner: {in_dept: 1}", "unknown", "in_dept"),
        ("count: 1\ncuont: 2", "unknown", "cuont"),
        ("mode: fast", "required", "count"),
    ],
)
def test_one_fault_one_finding(line: str, kind: str, key: str) -> None:
    fault = only(line)
    assert (fault.kind, fault.key) == (kind, key)


@pytest.mark.parametrize(
    "line",
    ["count: 1\nsize: 2.0", "count: 1\nrate: '1e-3'", "count: 1\nmode:", "count: 1\nmode: fAST"],
)
def test_accepted_forms(line: str) -> None:
    assert found(line) == []


def test_a_fault_stands_at_its_value() -> None:
    text = "count: 1\nnames:\n- a\n- 22\n"
    fault = only(text)
    assert text[fault.node.start : fault.node.end] == "22"


def test_an_unknown_key_stands_at_its_key() -> None:
    text = "count: 1\ninner:\n  dept: 2\n"
    fault = only(text)
    assert text[fault.node.start : fault.node.end] == "dept"
    assert fault.near == "depth", "the form without prefix, as the file has it"
    assert not fault.section.refuses


def test_a_key_that_is_there_is_not_suggested() -> None:
    assert only("count: 1\ncounts: 2").near is None


def test_a_key_that_differs_in_one_word_is_suggested_where_the_value_fits() -> None:
    section = load("accelerate").at("1.15.0").section("")
    assert section is not None
    text = "distributed_type: 'NO'\nmain_process_port: 1\nmain_process_address: 10.0.0.1\n"
    assert [f.near for f in found(text, section)] == ["main_process_ip"]


def test_required_is_met_by_a_merged_key() -> None:
    assert found("<<: {count: 1}\nmode: fast") == []


def test_faults_come_in_the_order_of_the_file() -> None:
    keys = [f.key for f in found("zz: 1\ninner: {depth: x}\naa: 1\ncount: x")]
    assert keys == ["zz", "depth", "aa", "count"]


def test_releases() -> None:
    assert set(top("1.10").keys) - set(top("1.0").keys) == {"new"}
    assert set(top("1.0").keys) - set(top().keys) == {"old"}
    assert "gone" in top("1.0").keys
    assert "gone" not in top("1.9").keys
    assert top("1.0").keys["kind"].choices == ("a", "b")
    assert TOY.life("", "old") == ("1.0", "1.9")
    assert TOY.life("", "nothing") is None
    assert TOY.choice_life("", "kind", "c") == ("1.10", "1.10")
    assert TOY.at("1.0").table("words") == ("y",)
    assert TOY.at().table("words") == ("x",)
    assert TOY.at().table("none") == ()
    assert list(TOY.places("in_depth")) == ["inner"]


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ("0.1", "1.0"),
        ("1.5", "1.0"),
        ("1.9.3", "1.9"),
        ("2.0", "1.10"),
        ("1", "1.10"),
        (None, "1.10"),
    ],
)
def test_the_release_that_stands_for_a_version(version: str | None, release: str) -> None:
    assert TOY.at(version).version == release


EITHER = {"type": ["int", "str"], "min": 1, "max": 2, "choices": ["ONE", "1"]}


@pytest.mark.parametrize(
    ("spec", "value", "words", "better"),
    [
        ({"type": "int", "min": 0, "max": 9}, "7", "a whole number from 0 to 9", 7),
        ({"type": "int"}, "1e3", "a whole number", 1000),
        ({"type": "int"}, 8.0, "a whole number", 8),
        ({"type": "int"}, "seven", "a whole number", None),
        ({"type": "bool"}, "True", "true or false", True),
        ({"type": ["int", "number"]}, "5e-5", "a number", 5e-5),
        ({"type": "str", "choices": ["no", "fp16"]}, False, "no, fp16", "no"),
        ({"type": "str", "choices": ["FULL_X", "LOCAL_X"]}, "full", "FULL_X, LOCAL_X", "FULL_X"),
        ({"type": "str", "choices": ["cpu", "nvme"]}, "gpu", "cpu, nvme", None),
        (EITHER, 5, "a whole number from 1 to 2", None),
        (EITHER, "TWO", "ONE", None),
        ({"type": "str"}, 3, "a string", "3"),
    ],
)  # fmt: skip
def test_words_for_a_value(spec: dict[str, Any], value: Any, words: str, better: Any) -> None:
    made = Spec("key", spec)
    assert accepted(made, value) == words
    assert meant(made, value) == better
    assert type(meant(made, value)) is type(better)


def test_two_packages_that_read_one_file() -> None:
    other = {"package": "o", "versions": ["1"], "sections": {"": {"unknown": "ignore", "keys": {
        "count": {"type": "str"}, "theirs": {"type": "int"}}}}}  # fmt: skip
    both = combine(top(), Package(other).at().section(""), None)
    assert both.refuses
    assert [f.key for f in found("count: 1\ntheirs: x", both)] == ["theirs"]
    below = both.below("inner")
    assert below is not None
    assert below.name == "inner"


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.floats(allow_nan=False, allow_infinity=False, width=16),
    st.sampled_from(
        ["fast", "slow", "SLOW", "yes", "no", "1", " 2 ", "1_0", "1e-3", ".5", "inf", "a/b", ""]
    ),
    st.text(max_size=3),
)
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=4), st.dictionaries(st.text("ab"), SCALARS))


@settings(max_examples=300, deadline=None)
@given(key=st.sampled_from([k for k in RAW["sections"][""]["keys"] if k != "inner"]), value=VALUES)
def test_the_quick_comparison_agrees_with_jsonschema(key: str, value: Any) -> None:
    section = top()
    spec = section.spec(key)
    if spec is None:
        return
    data = {"count": 1, key: value}
    assert bool(spec.fault(value)) == (not _validator(section).is_valid(data)), (key, value)


def test_what_was_right_once_is_not_right_in_another_form() -> None:
    section = top()
    for text, kinds in (
        ("count: 2\nstage: 1\n", []),
        ("count: '2'\nstage: 1\n", ["type"]),
        ("count: 2\nstage: '1'\n", []),
        ("count: !!str 2\n", ["type"]),
        ("count: 2\nmode: '2'\n", ["choice"]),
        ("count: 2\ninner: {count: 2}\n", ["unknown"]),
        ("count: 2\nstage: 1\n", []),
    ):
        assert [fault.kind for fault in found(text, section)] == kinds, text
