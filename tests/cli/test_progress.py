"""The progress bar: on a terminal, in runs of more than a second, and nowhere else."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from cfglint.cli import _output
from tests.commandline import BAD, cfglint, tree


class Clock:
    """A clock that a test turns on by hand."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 0.0, step

    def monotonic(self) -> float:
        self.now += self.step
        return self.now


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_output, "time", Clock(0.7))
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")


def test_a_bar() -> None:
    stream = io.StringIO()
    bar = _output.Bar(4, stream)
    bar.begun -= 5
    bar.drawn -= 5
    for _ in range(4):
        bar.step()
        bar.drawn -= 5
    assert "\r[######------------------] 1/4 files, reading\x1b[K" in stream.getvalue()
    assert "[########################] 4/4 files, checking" in stream.getvalue()
    bar.clear()
    assert stream.getvalue().endswith("\r\x1b[K")


@pytest.mark.usefixtures("slow")
def test_it_is_shown_on_a_terminal_and_taken_away(tmp_path: Path) -> None:
    tree(tmp_path, {f"{number}.yaml": BAD for number in range(5)})
    run = cfglint(tmp_path, terminal=True, env={"NO_COLOR": "1"})
    assert "5/5 files" in run.err
    assert run.err.endswith("\r\x1b[K")
    assert "files, " not in run.out


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(
    ("args", "env", "terminal"),
    [
        ((), {"CI": "true"}, True),
        (("--quiet",), {}, True),
        ((), {"TERM": "dumb"}, True),
        ((), {}, False),
    ],
)
def test_it_is_not_shown(
    tmp_path: Path, args: tuple[str, ...], env: dict[str, str], terminal: bool
) -> None:
    tree(tmp_path, {f"{number}.yaml": BAD for number in range(5)})
    run = cfglint(tmp_path, *args, terminal=terminal, env={"NO_COLOR": "1", **env})
    assert run.err == ""


def test_a_quick_run_shows_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_output, "time", Clock(0.01))
    monkeypatch.delenv("CI", raising=False)
    tree(tmp_path, {"a.yaml": BAD})
    assert cfglint(tmp_path, terminal=True, env={"TERM": "xterm"}).err == ""


def test_colour_only_on_a_terminal(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": BAD})
    env = {"NO_COLOR": "", "TERM": "xterm"}
    assert "\x1b[31" in cfglint(tmp_path, terminal=True, env=env).out
    assert "\x1b" not in cfglint(tmp_path, env=env).out
    assert "\x1b" not in cfglint(tmp_path, terminal=True, env={**env, "NO_COLOR": "1"}).out
