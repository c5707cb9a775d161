"""Manifests in JSON say what they say in YAML."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from cfglint.session import Session
from cfglint.settings import Settings
from tests.lintcases import all_cases


def _codes(folder: Path, name: str, text: str) -> set[str]:
    folder.mkdir()
    (folder / name).write_text(text)
    session = Session(Settings(root=folder), [folder / name], folder, folder)
    codes = {f.rule.code for f in session.lint().findings}
    return {code for code in codes if not code.startswith("SYN")}  # of YAML's own spelling


def _manifests() -> list[tuple[str, str, list[Any]]]:
    found = []
    for case in all_cases():
        files = [f for f in (case.path / "input").rglob("*") if f.is_file()]
        if len(files) != 1 or files[0].suffix not in (".yaml", ".yml"):
            continue
        text = files[0].read_text(errors="replace")
        try:
            objects = [one for one in yaml.safe_load_all(text) if one]
        except yaml.YAMLError:
            continue
        shared = re.search(r":[ \t]+\*\w", text)  # JSON says it twice
        if (
            objects
            and not shared
            and all(isinstance(one, dict) and "apiVersion" in one for one in objects)
        ):
            found.append((f"{case.path.parent.name}/{case.path.name}", text, objects))
    return found


def test_a_manifest_says_the_same_in_json(tmp_path: Path) -> None:
    seen: set[str] = set()
    for number, (name, text, objects) in enumerate(_manifests()):
        whole = {"apiVersion": "v1", "kind": "List", "items": objects}
        as_json = json.dumps(whole if objects[1:] else objects[0], indent=2)
        expected = _codes(tmp_path / f"y{number}", "m.yaml", text)
        assert _codes(tmp_path / f"j{number}", "m.json", as_json) == expected, name
        seen |= expected
    assert len(seen) > 8


@pytest.mark.parametrize("indent", [None, 2, 4])
def test_a_repaired_manifest_stays_json(tmp_path: Path, indent: int | None) -> None:
    container = {
        "name": "t",
        "image": "r/t:1",
        "command": ["torchrun", "--nproc_per_node=8", "t.py"],
    }
    limits = {"resources": {"limits": {"nvidia.com/gpu": 8}}}
    pod = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
        "spec": {"containers": [container | limits]},
    }  # fmt: skip
    file = tmp_path / "pod.json"
    file.write_text(json.dumps(pod, indent=indent))
    session = Session(Settings(root=tmp_path), [file], tmp_path, tmp_path)
    fixes = [f.fix for f in session.lint().findings if f.fix is not None]
    assert fixes
    text = file.read_text()
    edits = sorted((e for fix in fixes for e in fix.edits), key=lambda e: -e.span.start)
    for edit in edits:
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    spec = json.loads(text)["spec"]
    assert spec["volumes"] == [{"name": "dshm", "emptyDir": {"medium": "Memory"}}]
    assert spec["containers"][0]["volumeMounts"] == [{"name": "dshm", "mountPath": "/dev/shm"}]
