"""The baseline: known findings stay quiet, new ones do not, repaired ones are called stale."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commandline import BAD, CLEAN, cfglint, places, tree

NAME = "cfglint-baseline.json"
USE = ("--baseline", NAME, "--output-format", "concise")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A folder whose two faults are in a baseline."""
    tree(tmp_path, {"a.yaml": BAD, "sub/b.yaml": BAD, "c.yaml": CLEAN})
    run = cfglint(tmp_path, "baseline", "write")
    assert run.code == 0
    assert "2 entries (2 new)" in run.out
    return tmp_path


def entries(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / NAME).read_text())["findings"]
    return found


def test_nothing_is_left_after_writing(old: Path) -> None:
    run = cfglint(old, *USE)
    assert run.code == 0
    assert run.out == "No problems found in 4 files (3 of them configs). 2 more in the baseline.\n"
    assert [e["path"] for e in entries(old)] == ["a.yaml", "sub/b.yaml"]
    assert all(e["reason"] and e["rule"] == "PORT004" and e["line"] == 5 for e in entries(old))


def test_a_new_fault_is_reported_alone(old: Path) -> None:
    tree(old, {"c.yaml": CLEAN + "main_process_port: 70001\n"})
    run = cfglint(old, *USE)
    assert places(run) == ["c.yaml:5 PORT004"]
    assert run.code == 1


def test_moved_lines_stay_quiet(old: Path) -> None:
    tree(old, {"a.yaml": "# pad\n" * 40 + BAD.replace("\n", "\n\n")})
    assert cfglint(old, *USE).code == 0


def test_of_equal_lines_the_one_that_was_not_there_is_new(tmp_path: Path) -> None:
    line = "accelerate launch --main_process_port 70000 x.py\n"
    tree(tmp_path, {"a.sh": line})
    cfglint(tmp_path, "baseline", "write")
    tree(tmp_path, {"a.sh": line + "# pad\n" * 30 + line})
    found = [place for place in places(cfglint(tmp_path, *USE)) if "PORT004" in place]
    assert found == ["a.sh:32 PORT004"]


def test_a_graver_finding_is_new(old: Path) -> None:
    data = json.loads((old / NAME).read_text())
    for entry in data["findings"]:
        entry["severity"] = "warning"
    (old / NAME).write_text(json.dumps(data))
    assert "a.yaml:5 PORT004" in places(cfglint(old, *USE))


def test_a_repaired_fault_is_stale_and_can_be_taken_out(old: Path) -> None:
    tree(old, {"a.yaml": CLEAN})
    run = cfglint(old, *USE)
    assert run.code == 1
    assert places(run) == [f"{NAME}:3 META002"]
    assert "PORT004 is not found any more in a.yaml (it was in line 5)" in run.out
    assert cfglint(old, "baseline", "prune").out == f"{NAME}: took out 1 entry, left 1.\n"
    assert cfglint(old, *USE).code == 0
    tree(old, {"a.yaml": BAD})
    assert places(cfglint(old, *USE)) == ["a.yaml:5 PORT004"]


def test_a_file_that_is_gone_is_stale(old: Path) -> None:
    (old / "sub/b.yaml").unlink()
    assert "sub/b.yaml is gone" in cfglint(old, *USE).out


@pytest.mark.parametrize("args", [["c.yaml"], ["a.yaml"], ["sub"], ["--select", "SYN", "."]])
def test_what_was_not_looked_at_is_not_stale(old: Path, args: list[str]) -> None:
    tree(old, {"sub/b.yaml": CLEAN} if args != ["sub"] else {"a.yaml": CLEAN})
    assert cfglint(old, *USE, *args).code == 0


def test_entries_keep_their_reasons(old: Path) -> None:
    data = json.loads((old / NAME).read_text())
    data["findings"][0]["reason"] = "the old cluster"
    (old / NAME).write_text(json.dumps(data))
    tree(old, {"a.yaml": "# more\n" + BAD, "c.yaml": BAD, "sub/b.yaml": CLEAN})
    run = cfglint(old, "baseline", "write", "--reason", "see ticket 7")
    assert run.out == f"{NAME}: 2 entries (1 new, 1 taken out).\n"
    assert [(e["path"], e["line"], e["reason"]) for e in entries(old)] == [
        ("a.yaml", 6, "the old cluster"),
        ("c.yaml", 5, "see ticket 7"),
    ]
    assert "the old cluster" in cfglint(old, "baseline", "show").out


def test_paths_are_relative_to_the_baseline_not_to_where_one_stands(old: Path) -> None:
    assert cfglint(old / "sub", "--baseline", f"../{NAME}", "..").code == 0
    assert cfglint(old.parent, "--baseline", str(old / NAME), str(old)).code == 0


def test_the_settings_can_name_it(old: Path) -> None:
    tree(old, {"cfglint.toml": f'baseline = "{NAME}"\n'})
    assert cfglint(old).code == 0
    assert cfglint(old / "sub", "b.yaml").code == 0
    assert cfglint(old, "--isolated").code == 1


def test_reasons_can_be_asked_for(old: Path) -> None:
    tree(old, {"cfglint.toml": f'baseline = "{NAME}"\nrequire-reason = true\n'})
    assert cfglint(old).code == 0
    data = json.loads((old / NAME).read_text())
    data["findings"][1]["reason"] = " "
    (old / NAME).write_text(json.dumps(data))
    run = cfglint(old, "--output-format", "concise")
    assert "META003" in run.out
    assert "sub/b.yaml gives no reason" in run.out


def test_a_fix_does_not_touch_known_findings(old: Path) -> None:
    stale = CLEAN + "machine_rank: 0  # cfglint: ignore[PORT004]\n"
    tree(old, {"a.yaml": stale, "c.yaml": stale})
    (old / NAME).unlink()
    cfglint(old, "baseline", "write", "a.yaml", "sub")
    run = cfglint(old, *USE, "--fix")
    assert run.code == 0
    assert (old / "a.yaml").read_text() == stale
    assert (old / "c.yaml").read_text() == CLEAN + "machine_rank: 0\n"


def test_a_baseline_in_the_tree_starts_no_job(tmp_path: Path) -> None:
    """It names every config; the search for who uses a config must not take that for a use."""
    config = "distributed_type: MULTI_GPU\nnum_machines: 2\nmachine_rank: 0\nnum_processes: 16\n"
    tree(tmp_path, {"a.yaml": config})
    first = places(cfglint(tmp_path, "--output-format", "concise"))
    assert first
    cfglint(tmp_path, "baseline", "write")
    for name in ("json", "sarif", "gitlab", "rdjson"):
        cfglint(tmp_path, "--output-format", f"{name}:report-{name}.json")
    assert places(cfglint(tmp_path, "--output-format", "concise")) == first


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "no such baseline"),
        ("{", "not valid JSON"),
        ("[]", "no baseline of version 1"),
        ('{"version": 2, "findings": []}', "no baseline of version 1"),
        ('{"version": 1, "findings": [{"path": "a"}]}', "finding 1: 'rule' must be str"),
        ('{"version": 1, "findings": [{"pth": "a"}]}', "finding 1 has an unknown key 'pth'"),
    ],
)
def test_baselines_that_are_none(tmp_path: Path, text: str | None, words: str) -> None:
    tree(tmp_path, {"a.yaml": CLEAN} | ({NAME: text} if text is not None else {}))
    run = cfglint(tmp_path, *USE)
    assert run.code == 2
    assert words in run.err
    assert "Traceback" not in run.err
