"""The Compose script must tell closed mappings from open ones, and put alternatives together."""

from __future__ import annotations

import importlib
import json
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from cfglint import schemas

DERIVE = Path(__file__).resolve().parents[2] / "schemas" / "derive"
SCHEMA = {
    "type": "object",
    "properties": {
        "services": {"type": "object", "patternProperties": {"^[a-z]+$": {"$ref": "#/$defs/one"}},
                     "additionalProperties": False},
        "free": {"type": "object"},
    },
    "patternProperties": {"^x-": {}},
    "additionalProperties": False,
    "$defs": {
        "one": {
            "type": "object",
            "properties": {
                "build": {"oneOf": [{"type": "string"},
                                    {"type": "object", "properties": {"context": {"type": "string"}},
                                     "additionalProperties": False}]},
                "ports": {"type": "array", "items": {"type": ["string", "number"]}},
                "hints": {"type": "object", "properties": {"a": {"type": "boolean"}}},
            },
            "patternProperties": {"^x-": {}},
            "additionalProperties": False,
        }
    },
}  # fmt: skip


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DERIVE))
    return importlib.import_module("compose")


def test_places(script: ModuleType, tmp_path: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b",
                        *words], check=True, capture_output=True)  # fmt: skip

    (tmp_path / "schema").mkdir()
    (tmp_path / "schema" / "compose-spec.json").write_text(json.dumps(SCHEMA))
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    git("tag", "v9.0.0")
    assert script.derive(tmp_path, "v9.0.0") == {
        "source": "compose-go v9.0.0",
        "file": {
            "types": "mapping",
            "keys": {
                "free": "mapping",
                "services": {
                    "types": "mapping",
                    "any": {
                        "types": "mapping",
                        "keys": {
                            "build": {"types": "str mapping", "keys": {"context": "str"}},
                            "hints": {"types": "mapping", "keys": {"a": "bool"}, "open": True},
                            "ports": {"types": "list", "items": "str number"},
                        },
                    },
                },
            },
        },
    }


def test_data_file_has_the_places_that_rules_speak_of() -> None:
    service = schemas.read("compose")["file"]["keys"]["services"]["any"]
    assert {"environment", "network_mode", "shm_size", "gpus"} <= set(service["keys"])
    assert "open" not in service
    reserved = service["keys"]["deploy"]["keys"]["resources"]["keys"]["reservations"]
    assert "devices" in reserved["keys"]
