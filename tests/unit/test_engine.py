"""The engine: which findings are kept, in which order, and what comments silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfglint import registry
from cfglint.engine import is_selected
from tests.running import as_json, write

FAULTY = "distributed_type: MULTI_GPU\nnum_processes: 8\nmain_process_port: 69420{}\n"


def module(word: str) -> registry.RuleModule:
    found = registry.lookup(word)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("select", "extend", "ignore", "on"),
    [
        ([], [], [], True),
        (["PORT"], [], [], True),
        (["PORT004"], [], [], True),
        (["port-out-of-range"], [], [], True),
        (["port"], [], [], True),
        (["ADDR"], [], [], False),
        (["ADDR"], ["PORT004"], [], True),
        ([], [], ["PORT"], False),
        (["PORT004"], [], ["PORT"], True),
        (["PORT"], [], ["PORT004"], False),
        (["ALL"], [], ["ALL"], False),
        (["PORT00"], [], [], True),
        (["PORT01"], [], [], False),
    ],
)
def test_selection(select: list[str], extend: list[str], ignore: list[str], on: bool) -> None:
    assert is_selected(module("PORT004"), select, extend, ignore) is on


@pytest.mark.parametrize(
    ("comment", "codes"),
    [
        ("", ["PORT004"]),
        ("  # cfglint: ignore[PORT004]", []),
        ("  # cfglint: ignore[port-out-of-range]", []),
        ("  # cfglint: ignore[PORT]", []),
        ("  # cfglint: ignore[PORT004] -- the old switch wants it", []),
        ("  # cfglint: ignore[PORT004,ADDR001]", ["META001"]),
        ("  # cfglint: ignore", ["META001", "PORT004"]),
        ("  # cfglint: ignore[PORT999]", ["META001", "PORT004"]),
        ("  # cfglint: ignroe[PORT004]", ["META001", "PORT004"]),
    ],
)
def test_comments(tmp_path: Path, comment: str, codes: list[str]) -> None:
    write(tmp_path, {"acc.yaml": FAULTY.format(comment)})
    assert sorted(row[3] for row in as_json(tmp_path).rows()) == codes


def test_a_comment_in_a_string_is_none(tmp_path: Path) -> None:
    text = FAULTY.format("") + 'note: "x # cfglint: ignore[PORT004]"\n'
    write(tmp_path, {"acc.yaml": text})
    assert "META001" not in {row[3] for row in as_json(tmp_path).rows()}


def test_order_and_contract(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"b.yaml": FAULTY.format(""), "a/z.yaml": FAULTY.format("") + "main_process_port: 70000\n"},
    )
    run = as_json(tmp_path)
    rows = run.rows()
    assert rows == sorted(rows)
    assert run.data["version"] == 1
    keys = {
        "code",
        "name",
        "severity",
        "message",
        "path",
        "line",
        "column",
        "end_line",
        "end_column",
        "fix",
        "related",
    }
    assert all(keys <= finding.keys() for finding in run.data["findings"])
    assert {f["path"] for f in run.data["files"]} == {"b.yaml", "a/z.yaml"}


def test_only_given_files_are_reported(tmp_path: Path) -> None:
    ds = '{"zero_optimization": {"stage": 3}, "offload_optimizer": {"device": "cpu"}, "train_batch_size": 8}'
    acc = (
        "distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n"
        "  deepspeed_config_file: ds.json\n"
    )
    write(tmp_path, {"acc.yaml": acc, "ds.json": ds})
    assert "ds.json" in {row[0] for row in as_json(tmp_path).rows()}
    alone = as_json(tmp_path, "acc.yaml")
    assert "ds.json" not in {row[0] for row in alone.rows()}
    assert list(alone.kinds()) == ["acc.yaml"]


def test_a_reader_that_fails_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cfglint.readers import accelerate

    def fail(document: object) -> None:
        raise ValueError("boo")

    write(
        tmp_path, {"acc.yaml": FAULTY.format(""), "run.sh": "torchrun --master_port 69420 t.py\n"}
    )
    monkeypatch.setattr(accelerate, "read", fail)
    run = as_json(tmp_path)
    assert run.code == 2
    codes = {(row[0], row[3]) for row in run.rows()}
    assert ("acc.yaml", "META000") in codes
    assert ("run.sh", "PORT004") in codes


def test_every_rule_is_found_once() -> None:
    rules = [m.rule for m in registry.everything()]
    assert len({r.code for r in rules}) == len(rules) == len({r.name for r in rules})
    assert registry.lookup("port004") is registry.lookup("PORT-OUT-OF-RANGE")
    assert registry.lookup("nothing") is None
