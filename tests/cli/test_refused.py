"""What the system refuses, and words that mean nothing: one line, and exit code 2."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cfglint.cli import _running as running
from tests.commandline import BAD, CLEAN, cfglint, tree

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX streams")
full_device = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
COMMANDS = ["a.yaml", "a.yaml --output-format json", "rules", "--help", "--version", "show a.yaml",
            "explain PORT", "kinds a.yaml"]  # fmt: skip


def shell(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which `cfglint` is a word."""
    program = f"cfglint() {{ '{sys.executable}' -m cfglint \"$@\"; }}\n"
    return subprocess.run(
        ["bash", "-c", program + line], cwd=folder, capture_output=True, text=True, check=False
    )


def one_line(run: subprocess.CompletedProcess[str], *words: str) -> None:
    assert run.stderr.startswith("cfglint: "), run.stderr
    assert run.stderr.count("\n") == 1, run.stderr
    for word in words:
        assert word in run.stderr


@posix
@full_device
@pytest.mark.parametrize("words", COMMANDS)
def test_a_full_device(tmp_path: Path, words: str) -> None:
    tree(tmp_path, {"a.yaml": BAD})
    run = shell(tmp_path, f"cfglint {words} > /dev/full")
    assert run.returncode == 2
    one_line(run, "cannot write to standard output", "No space left")


@posix
@pytest.mark.parametrize("words", ["a.yaml", "rules"])
def test_a_closed_standard_output(tmp_path: Path, words: str) -> None:
    tree(tmp_path, {"a.yaml": BAD})
    run = shell(tmp_path, f"cfglint {words} >&-")
    assert run.returncode == 2
    one_line(run, "cannot write to standard output")


@posix
def test_streams_that_are_not_needed_may_be_closed(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": BAD})
    assert shell(tmp_path, "cfglint a.yaml --output-format json:o.json <&- >&-").returncode == 1
    assert (tmp_path / "o.json").read_text().startswith("{")
    run = shell(tmp_path, "cfglint - a.yaml --nonsense 2>&-")
    assert (run.returncode, run.stdout) == (2, "")


@posix
@pytest.mark.parametrize("words", ["-", "diagnose - a.yaml"])
def test_a_closed_standard_input(tmp_path: Path, words: str) -> None:
    tree(tmp_path, {"a.yaml": BAD})
    run = shell(tmp_path, f"cfglint {words} <&-")
    assert run.returncode == 2
    one_line(run, "cannot read standard input")


@posix
@pytest.mark.parametrize("words", ["", "-", "kinds", "init"])
def test_a_working_directory_that_is_gone(tmp_path: Path, words: str) -> None:
    line = f"mkdir gone && cd gone && rmdir ../gone && cfglint {words} < /dev/null"
    run = shell(tmp_path, f"PYTHONPATH='{os.getcwd()}' ; {line}")
    assert run.returncode == 2
    one_line(run, "the working directory does not exist")


@pytest.mark.parametrize("where", ["_run", "check"])
def test_an_interrupt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    from cfglint import cli
    from cfglint.cli import check

    monkeypatch.setattr(cli if where == "_run" else check, where, interrupt)
    run = cfglint(tmp_path)
    assert run.code == 130
    assert run.err == "cfglint: interrupted\n"


def test_a_path_that_may_not_be_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = os.stat

    def refuse(path: object, *args: object, **kwargs: object) -> os.stat_result:
        if str(path) == os.path.join("locked", "c.yaml"):
            raise PermissionError(13, "Permission denied", str(path))
        return usual(path, *args, **kwargs)  # type: ignore[call-overload, no-any-return]

    tree(tmp_path, {"locked/c.yaml": BAD})
    monkeypatch.setattr(os, "stat", refuse)
    run = cfglint(tmp_path, "locked/c.yaml")
    assert run.code == 2
    assert run.err == f"cfglint: {os.path.join('locked', 'c.yaml')}: Permission denied\n"


@pytest.mark.parametrize(
    "words",
    [
        ["--fix", ""],
        ["a.yaml", ""],
        ["a.yaml", "--config", ""],
        ["a.yaml", "--baseline="],
        ["a.yaml", "--output-file", ""],
        ["-", "--stdin-filename", ""],
        ["kinds", ""],
        ["show", ""],
        ["settings", ""],
        ["init", ""],
        ["baseline", "write", ""],
        ["diagnose", "-", ""],
    ],
)
def test_an_empty_path_is_not_the_current_folder(tmp_path: Path, words: list[str]) -> None:
    tree(tmp_path, {"a.yaml": CLEAN + "machine_rank: 0  # cfglint: ignore[PORT004]\n"})
    before = sorted(tmp_path.iterdir()), (tmp_path / "a.yaml").read_bytes()
    run = cfglint(tmp_path, *words)
    assert run.code == 2
    assert "it is empty" in run.err
    assert (sorted(tmp_path.iterdir()), (tmp_path / "a.yaml").read_bytes()) == before


def test_an_empty_reason_is_none(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": BAD})
    assert cfglint(tmp_path, "a.yaml", "--add-ignores", "--reason", "").code == 0


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["explian", "PORT001"], "did you mean `cfglint explain`?"),
        (["chek"], "did you mean `cfglint check`?"),
        (["diagnos", "a.log"], "did you mean `cfglint diagnose`?"),
        (["conf.yaml"], ""),
        (["kinds", "explian"], ""),
    ],
)
def test_a_mistyped_command(tmp_path: Path, words: list[str], meant: str) -> None:
    run = cfglint(tmp_path, *words)
    assert run.code == 2
    assert "no such file or folder" in run.err
    assert (meant in run.err) if meant else ("did you mean" not in run.err)


@pytest.mark.parametrize("second", ["out.txt", "./out.txt", "sub/../out.txt"])
def test_two_reports_into_one_file(tmp_path: Path, second: str) -> None:
    tree(tmp_path, {"a.yaml": BAD, "sub/x": ""})
    formats = ("--output-format", "json:out.txt", "--output-format", f"sarif:{second}")
    run = cfglint(tmp_path, "a.yaml", *formats)
    assert run.code == 2
    assert "json and sarif cannot both go to" in run.err
    assert not (tmp_path / "out.txt").exists()


def test_settings_that_are_no_file(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": CLEAN, "cfglint.toml/x": ""})
    for words in (["a.yaml"], ["init"], ["settings"]):
        run = cfglint(tmp_path, *words)
        assert run.code == 2
        assert "cfglint.toml" in run.err
    assert cfglint(tmp_path, "a.yaml", "--isolated").code == 0


def test_folders_above_that_may_not_be_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is known of them is nothing; they do not keep the files from being linted."""
    usual = os.stat

    def refuse(path: object, *args: object, **kwargs: object) -> os.stat_result:
        if os.path.dirname(str(path)) == str(tmp_path.parent) and str(path) != str(tmp_path):
            raise PermissionError(13, "Permission denied", str(path))
        return usual(path, *args, **kwargs)  # type: ignore[call-overload, no-any-return]

    tree(tmp_path, {"a.yaml": BAD})
    monkeypatch.setattr(os, "stat", refuse)
    assert cfglint(tmp_path).code == 1
    assert running.settings_for([tmp_path]).source is None
