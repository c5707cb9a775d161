"""Settings: found upward, read strictly, with suggestions."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfglint.settings import SettingsError, find_file, load
from tests.running import as_json, cfglint, write


def read(folder: Path, text: str, name: str = "cfglint.toml") -> object:
    write(folder, {name: text})
    return load(folder / name)


def test_everything_can_be_said(tmp_path: Path) -> None:
    settings = load(write(tmp_path, {"cfglint.toml": """
select = ["PORT", "ADDR001"]
extend-select = "NET"
ignore = ["PORT011"]
exclude = ["gen/"]
fail-on = "error"
unsafe-fixes = true
max-file-size = 1000
[per-file-ignores]
"old/*" = ["PORT001"]
[kinds]
"*.cfg.yaml" = "accelerate"
[versions]
accelerate = "1.2.0"
[site]
socket-interface = "ib0"
port-range = [20000, 20999]
gpus-per-node = 8
private-networks = ["52.0.0.0/8"]
[[job]]
files = ["node*.yaml"]
"""}) / "cfglint.toml")  # fmt: skip
    assert settings.select == ("PORT", "ADDR001")
    assert settings.extend_select == ("NET",)
    assert settings.site.port_range == (20000, 20999)
    assert settings.site.socket_interface == "ib0"
    assert settings.versions == {"accelerate": "1.2.0"}
    assert settings.kinds == {"*.cfg.yaml": "accelerate"}
    assert settings.jobs[0].files == ("node*.yaml",)
    assert (settings.fail_on, settings.unsafe_fixes, settings.max_file_size) == (
        "error",
        True,
        1000,
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("selct = []", "select"),
        ("[site]\nsocket-inteface = 'x'", "socket-interface"),
        ("[versions]\naccelerat = '1'", "accelerate"),
        ("[kinds]\n'*' = 'acelerate'", "accelerate"),
        ("fail-on = 'eror'", "error"),
        ("unsafe-fixes = 1", "true or false"),
        ("max-file-size = 0", "positive"),
        ("select = 3", "list"),
        ("[site]\nport-range = [9, 8]", "range"),
        ("[site]\nprivate-networks = ['300.0.0.0/8']", "300"),
        ("a = [", "TOML"),
        ("site = 3", "table"),
    ],
)
def test_faults_are_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(SettingsError, match=r"cfglint\.toml") as caught:
        read(tmp_path, text)
    assert says in str(caught.value)
    run = cfglint(tmp_path, ".")
    assert run.code == 2
    assert says in run.err
    assert "Traceback" not in run.err


@pytest.mark.parametrize(
    "text", ["[tool]\ncfglint = 3\n", "tool = 3\n# [tool.cfglint]\n", "[tool.cfglint]\nx = 1\n"]
)
def test_a_pyproject_that_is_odd(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"pyproject.toml": text, "a.yaml": "a: 1\n"})
    run = cfglint(tmp_path, ".")
    assert run.code in (0, 2)
    assert "Traceback" not in run.err


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    write(tmp_path, {"cfglint.toml": "", "a/pyproject.toml": "[tool.cfglint]\n", "a/b/x.yaml": "",
                     "c/pyproject.toml": "[tool.other]\n", "c/d/x.yaml": "", "e/.git/HEAD": "", "e/x.yaml": ""})  # fmt: skip
    assert find_file(tmp_path / "a/b") == tmp_path / "a/pyproject.toml"
    assert find_file(tmp_path / "c/d") == tmp_path / "cfglint.toml"
    assert find_file(tmp_path / "e") is None  # a repository of its own


def test_a_mention_is_no_table(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"cfglint.toml": "", "a/pyproject.toml": "# see tool.cfglint above\n[tool.other]\nx = 1\n"},
    )
    assert find_file(tmp_path / "a") == tmp_path / "cfglint.toml"


def test_what_they_do(tmp_path: Path) -> None:
    faulty = "distributed_type: MULTI_GPU\nnum_processes: 8\nmain_process_port: 69420\n"
    write(tmp_path, {"cfglint.toml": "[per-file-ignores]\n'old/*' = ['PORT004']\n", "old/a.yaml": faulty,
                     "new/a.yaml": faulty, "gen/a.yaml": faulty})  # fmt: skip
    run = as_json(tmp_path, "--exclude", "gen", ".")
    assert [row[0] for row in run.rows() if row[3] == "PORT004"] == ["new/a.yaml"]
    run = as_json(tmp_path, "--isolated", "--select", "port-out-of-range", ".")
    assert [row[0] for row in run.rows()] == ["gen/a.yaml", "new/a.yaml", "old/a.yaml"]
    assert as_json(tmp_path, "--ignore", "PORT", "--fail-on", "error", ".").rows() == []
