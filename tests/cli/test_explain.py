"""`cfglint explain`, `rules`, `kinds` and `schema`: what the program says of itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from cfglint import registry


def command(
    *words: str, folder: Path | None = None, **env: str
) -> subprocess.CompletedProcess[str]:
    import os

    return subprocess.run(
        [sys.executable, "-m", "cfglint", *words],
        cwd=folder, env={**os.environ, **env}, capture_output=True, text=True,
    )  # fmt: skip


def test_page() -> None:
    done = command("explain", "SYN003")
    assert done.returncode == 0
    assert done.stdout.startswith("SYN003 invalid-json (error, no automatic fix, since ")
    assert "## Why it fails" in done.stdout
    assert "\x1b" not in done.stdout


def test_page_in_colour() -> None:
    done = command("explain", "port-out-of-range", NO_COLOR="", FORCE_COLOR="1", COLUMNS="80")
    assert "\x1b[" in done.stdout
    assert "Why it fails" in done.stdout
    assert "## Why" not in done.stdout


def test_family() -> None:
    done = command("explain", "port", "SEC001")
    for module in registry.family("port"):
        assert f"{module.rule.code} {module.rule.name} (" in done.stdout
    assert "SEC001 secret-in-config (" in done.stdout


def test_page_as_json() -> None:
    data = json.loads(command("explain", "PORT004", "--format", "json").stdout)
    assert (data["code"], data["severity"], data["fix"]) == ("PORT004", "error", "unsafe")
    (example,) = data["examples"]
    assert "69420" in example["bad"]["config.yaml"]
    assert "69420" not in example["repair"]["config.yaml"]
    assert "port must be 0-65535" in data["symptoms"]


def test_error_as_json() -> None:
    done = command("explain", "--error", "OverflowError: port must be 0-65535.", "--format", "json")
    rows = json.loads(done.stdout)
    assert rows[0]["code"] == "PORT004"
    assert rows[0]["matched"].endswith("port")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("explain",), "which rule?"),
        (("explain", "SEC01"), "did you mean SEC001?"),
        (("explain", "port-hardcodet"), "did you mean port-hardcoded?"),
        (("explain", "PORT001", "--error", "x"), "not both"),
        (("explain", "PORT001", "--format", "xml"), "known are text, json"),
        (("rules", "prot"), "unknown rule 'prot'; did you mean"),
        (("rules", "--format", "xml"), "known are text, json"),
        (("kinds", "nowhere"), "no such file or folder: nowhere"),
        (("schema", "deepsped"), "did you mean deepspeed?"),
        (("schema", "deepspeed", "--version", "new"), "'new' is no version of deepspeed"),
        (("completion", "tcsh"), "known are bash, zsh, fish"),
    ],
)
def test_told_wrongly(words: tuple[str, ...], said: str) -> None:
    done = command(*words)
    assert done.returncode == 2
    assert done.stderr.startswith("cfglint: ")
    assert said in done.stderr
    assert done.stdout == ""


def test_list_of_rules() -> None:
    rows = command("rules").stdout.splitlines()
    assert len(rows) == len(registry.everything())
    some = json.loads(command("rules", "PORT", "--format", "json").stdout)
    assert [r["code"] for r in some] == [m.rule.code for m in registry.family("port")]


def test_kinds(tmp_path: Path) -> None:
    (tmp_path / "acc.yaml").write_text("distributed_type: MULTI_GPU\nnum_processes: 2\n")
    (tmp_path / "other.yaml").write_text("a: 1\n")
    assert command("kinds", folder=tmp_path).stdout.split() == [
        "acc.yaml", "accelerate", "distributed_type:", "MULTI_GPU",
    ]  # fmt: skip
    rows = json.loads(command("kinds", "--all", "--format", "json", folder=tmp_path).stdout)
    assert [(r["path"], r["kind"]) for r in rows] == [
        ("acc.yaml", "accelerate"),
        ("other.yaml", None),
    ]
    (tmp_path / "acc.yaml").unlink()
    assert "No file of a kind" in command("kinds", folder=tmp_path).stdout


@pytest.mark.parametrize("name", ["accelerate", "deepspeed", "llamafactory", "cfglint"])
def test_schema(name: str) -> None:
    schema = json.loads(command("schema", name).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["title"]


def test_schema_of_a_version() -> None:
    old = json.loads(command("schema", "deepspeed", "--version", "0.15").stdout)
    new = json.loads(command("schema", "deepspeed").stdout)
    assert old["title"] != new["title"]
    assert "0.15" in old["title"]
