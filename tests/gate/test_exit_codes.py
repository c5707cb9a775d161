"""What the exit code says: findings, severities, files that could not be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commandline import BAD, CLEAN, cfglint, places, tree

BROKEN = "distributed_type: MULTI_GPU\nnum_machines: [1\n"
INFO = '[severity]\nPORT = "info"\n'


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ([], 1),
        (["--fail-on", "error"], 1),
        (["--fail-on", "never"], 0),
        (["--exit-zero"], 0),
        (["--ignore", "PORT"], 0),
        (["--select", "NET"], 0),
        (["--fail-on", "worse"], 2),
        (["--select", "PROT004"], 2),
        (["nowhere"], 2),
    ],
)
def test_exit_code(tmp_path: Path, args: list[str], code: int) -> None:
    tree(tmp_path, {"a.yaml": BAD})
    assert cfglint(tmp_path, *args).code == code


@pytest.mark.parametrize(("fail_on", "code"), [("error", 0), ("warning", 0), ("info", 1)])
def test_fail_on_is_a_threshold(tmp_path: Path, fail_on: str, code: int) -> None:
    tree(tmp_path, {"a.yaml": BAD, "cfglint.toml": INFO})
    run = cfglint(tmp_path, "--fail-on", fail_on, "--output-format", "concise")
    assert places(run) == ["a.yaml:5 PORT004"]
    assert run.code == code


def test_a_file_that_cannot_be_read_is_a_finding_and_counted(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": BROKEN, "b.yaml": CLEAN})
    run = cfglint(tmp_path, "--output-format", "concise")
    assert run.code == 1
    assert [p.split()[1] for p in places(run)] == ["SYN002"]
    assert "1 file could not be read." in run.out
    assert json.loads(cfglint(tmp_path, "--output-format", "json").out)["unread"] == ["a.yaml"]


@pytest.mark.parametrize("args", [["--select", "PORT"], ["--ignore", "SYN002"]])
def test_clean_as_far_as_it_could_be_read(tmp_path: Path, args: list[str]) -> None:
    """The rules that would say so are off: 0 would mean that the file was looked at."""
    tree(tmp_path, {"a.yaml": BROKEN, "b.yaml": CLEAN})
    run = cfglint(tmp_path, *args)
    assert run.code == 3
    assert "1 file could not be read." in run.out
    assert cfglint(tmp_path, *args, "--exit-zero").code == 0
    assert cfglint(tmp_path, *args, "b.yaml").code == 0
    tree(tmp_path, {"c.yaml": BAD})
    if args[0] == "--select":
        assert cfglint(tmp_path, *args).code == 1


def test_a_broken_file_that_was_accepted_does_not_fail_the_run(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": BROKEN, "b.yaml": CLEAN})
    cfglint(tmp_path, "baseline", "write")
    run = cfglint(tmp_path, "--baseline", "cfglint-baseline.json")
    assert run.code == 0
    assert "1 file could not be read." in run.out


def test_the_diff_of_a_fix_fails_the_run(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": CLEAN + "machine_rank: 0  # cfglint: ignore[PORT004]\n"})
    run = cfglint(tmp_path, "--diff")
    assert run.code == 1
    assert "-machine_rank: 0  # cfglint: ignore[PORT004]\n+machine_rank: 0\n" in run.out
    assert cfglint(tmp_path, "--fix").code == 0
    assert cfglint(tmp_path, "--diff").code == 0


def test_quiet(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": BAD, "b.yaml": CLEAN})
    assert cfglint(tmp_path, "-q", "b.yaml").out == ""
    run = cfglint(tmp_path, "--quiet", "--output-format", "concise")
    assert run.out.count("\n") == 1
    assert "Found" not in cfglint(tmp_path, "--quiet").out
    assert "Found" not in cfglint(tmp_path, "--quiet", "--output-format", "github").out
