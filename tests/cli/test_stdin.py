"""`cfglint -`: text from standard input."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commandline import BAD, CLEAN, cfglint, places, tree

CONCISE = ("--output-format", "concise")
STALE = CLEAN + "machine_rank: 0  # cfglint: ignore[PORT004]\n"


def test_its_name_is_what_it_is_told(tmp_path: Path) -> None:
    run = cfglint(tmp_path, "-", *CONCISE, "--stdin-filename", "conf/x.yaml", stdin=BAD.encode())
    assert run.code == 1
    assert places(run) == ["conf/x.yaml:5 PORT004"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (BAD, "stdin.yaml:5 PORT004"),
        ('{"distributed_type": "MULTI_GPU", "main_process_port": 70000}', "stdin.json:1 PORT004"),
        ("#!/bin/bash\naccelerate launch --main_process_port 70000 x.py\n", "stdin.sh:2 PORT004"),
        ("FROM x\nCMD accelerate launch --main_process_port 70000 x.py\n",
         "stdin.dockerfile:2 PORT004"),
    ],
)  # fmt: skip
def test_without_a_name_the_content_tells(tmp_path: Path, text: str, wanted: str) -> None:
    assert wanted in places(cfglint(tmp_path, "-", *CONCISE, stdin=text.encode()))


def test_it_stands_in_for_the_file_on_disk(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": CLEAN})
    run = cfglint(tmp_path, "-", *CONCISE, "--stdin-filename", "a.yaml", stdin=BAD.encode())
    assert places(run) == ["a.yaml:5 PORT004"]
    assert (tmp_path / "a.yaml").read_text() == CLEAN


def test_fix_passes_the_text_on(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": STALE})
    args = ("-", "--fix", "--stdin-filename", "a.yaml")
    run = cfglint(tmp_path, *args, stdin=STALE.encode())
    assert run.raw.decode() == CLEAN + "machine_rank: 0\n"
    assert "Fixed 1 finding" in run.err
    assert (tmp_path / "a.yaml").read_text() == STALE
    run = cfglint(tmp_path, *args, stdin=BAD.encode())
    assert run.raw.decode() == BAD, "what cannot be repaired comes back as it was"
    assert run.code == 1


def test_diff_shows_and_passes_nothing_on(tmp_path: Path) -> None:
    run = cfglint(tmp_path, "-", "--diff", stdin=STALE.encode())
    assert run.out.startswith("--- a/stdin.yaml\n+++ b/stdin.yaml\n")
    assert run.code == 1


def test_settings_hold_by_the_name(tmp_path: Path) -> None:
    tree(tmp_path, {"cfglint.toml": 'exclude = ["old"]\n[per-file-ignores]\n"new/*" = ["PORT"]\n'})
    data = BAD.encode()
    assert cfglint(tmp_path, "-", "--stdin-filename", "new/a.yaml", stdin=data).code == 0
    assert cfglint(tmp_path, "-", "--stdin-filename", "old/a.yaml", stdin=data).code == 1
    args = ("-", "--stdin-filename", "old/a.yaml", "--force-exclude")
    assert cfglint(tmp_path, *args, stdin=data).code == 0


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe", b"\x00\x01", b"\xff", "\ufeff".encode() + BAD.encode()]
)
def test_any_bytes(tmp_path: Path, data: bytes) -> None:
    run = cfglint(tmp_path, "-", stdin=data)
    assert run.code in (0, 1)
    assert "Traceback" not in run.err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("-", "a.yaml"), "goes with no other path"),
        ((".", "--stdin-filename", "a.yaml"), "--stdin-filename goes with `-`"),
    ],
)
def test_what_does_not_go_together(tmp_path: Path, args: tuple[str, ...], words: str) -> None:
    run = cfglint(tmp_path, *args)
    assert run.code == 2
    assert words in run.err
