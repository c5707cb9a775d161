"""Folding releases into one description, and back."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from cfglint.releases.data import Package

SHAPE = Path(__file__).resolve().parents[2] / "schemas" / "derive" / "shape.py"


@pytest.fixture(scope="module")
def shape() -> Any:
    spec = importlib.util.spec_from_file_location("derive_shape", SHAPE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def release(keys: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"sections": {"": {"unknown": "refuse", "keys": keys, **more}}, "tables": {"t": ["a"]}}


RELEASES = {
    "1.9": release({"old": {"type": "int"}, "same": {"type": "str"}, "wider": {"type": "int"}}),
    "1.10": release({"same": {"type": "str"}, "wider": {"type": "int"}, "gap": {"type": "int"}}),
    "1.11": release({"same": {"type": "str"}, "wider": {"type": ["int", "str"], "min": 1}}),
    "2.0": release(
        {
            "same": {"type": "str"},
            "wider": {"type": ["int", "str"], "min": 1},
            "gap": {"type": "int"},
        },
        prefix="x_",
    ),
}


def test_folding(shape: Any) -> None:
    data = shape.compress("toy", RELEASES)
    assert data["versions"] == ["1.9", "1.10", "1.11", "2.0"]
    keys = data["sections"][""]["keys"]
    assert keys["same"] == {"type": "str"}
    assert keys["old"] == {"type": "int", "until": "1.9"}
    assert keys["gap"]["since"] == "1.10"
    assert keys["gap"]["history"] == [{"versions": "1.11..1.11", "missing": True}]
    assert keys["wider"]["history"] == [{"versions": "1.9..1.10", "type": "int", "min": None}]
    assert data["sections"][""]["history"] == [{"versions": "1.9..1.11", "prefix": None}]
    assert data["tables"] == {"t": {"values": ["a"]}}


@pytest.mark.parametrize("version", RELEASES)
def test_each_release_comes_back_as_it_was(shape: Any, version: str) -> None:
    package = Package(shape.compress("toy", RELEASES))
    section = package.at(version).section("")
    assert section is not None
    wanted = RELEASES[version]["sections"][""]
    assert {name: spec.raw.get("type") for name, spec in section.keys.items()} == {
        name: spec["type"] for name, spec in wanted["keys"].items()
    }
    assert section.keys["wider"].limits == ({"min": 1} if "min" in wanted["keys"]["wider"] else {})
    assert section.prefix == wanted.get("prefix", "")


def test_the_text_is_the_data(shape: Any) -> None:
    data = shape.compress("toy", RELEASES)
    assert json.loads(shape.dumps(data)) == data


@pytest.mark.parametrize("name", ["accelerate", "deepspeed", "llamafactory", "transformers"])
def test_the_files_in_the_tree_are_of_this_shape(shape: Any, name: str) -> None:
    path = SHAPE.parents[1] / f"{name}.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["versions"] == sorted(data["versions"], key=shape.order)
    for section in data["sections"].values():
        assert section["unknown"] in ("refuse", "ignore")
        for spec in section["keys"].values():
            assert spec.get("since", data["versions"][0]) in data["versions"]
            assert spec.get("until", data["versions"][-1]) in data["versions"]
