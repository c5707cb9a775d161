"""Pipes, devices and `<(command)` as paths; files named outright that are of no kind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cfglint.files.streams import guess_name, is_stream
from tests.commandline import BAD, CLEAN, cfglint, places, tree

CONCISE = ("--output-format", "concise")
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX pipes")


def shell(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    program = f"cfglint() {{ '{sys.executable}' -m cfglint \"$@\"; }}\n"
    return subprocess.run(
        ["bash", "-c", program + line], cwd=folder, capture_output=True, text=True, check=False,
        timeout=60,
    )  # fmt: skip


@posix
@pytest.mark.parametrize(
    "line",
    [
        "cfglint <(cat a.yaml) --output-format json",
        "cfglint /dev/stdin --output-format json < a.yaml",
        "cat a.yaml | cfglint /dev/stdin --output-format json",
        "cfglint /dev/fd/7 --output-format json 7< a.yaml",
    ],
)
def test_open_files_are_named_by_what_they_say(tmp_path: Path, line: str) -> None:
    tree(tmp_path, {"a.yaml": BAD})
    run = shell(tmp_path, line)
    assert run.returncode == 1, run.stderr
    data = json.loads(run.stdout)
    assert [f["code"] for f in data["findings"]] == ["PORT004"]
    assert [f["kind"] for f in data["files"]] == ["accelerate"]
    assert "/dev/" in data["files"][0]["path"]


@posix
def test_several_streams_and_the_settings_of_the_working_directory(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": BAD, "cfglint.toml": 'ignore = ["PORT"]\n'})
    run = shell(tmp_path, "cfglint <(cat a.yaml) <(cat a.yaml)")
    assert run.returncode == 0, run.stdout
    assert "2 files (2 of them configs)" in run.stdout


@posix
def test_a_stream_is_not_written_to(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": CLEAN + "machine_rank: 0  # cfglint: ignore[PORT004]\n"})
    run = shell(tmp_path, "cfglint --fix <(cat a.yaml)")
    assert run.returncode == 2
    assert "not written" in run.stderr
    assert "Fixed" not in run.stdout


@posix
@pytest.mark.parametrize("name", ["p.yaml", "pipe"])
def test_a_named_pipe_is_read_and_that_it_is_waited_for_is_said(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    writer = threading.Thread(target=lambda: (tmp_path / name).write_text(BAD))
    writer.start()
    run = cfglint(tmp_path, name, *CONCISE)
    writer.join()
    assert places(run) == [f"{name}:5 PORT004"]
    assert run.err == f"cfglint: {name} is a named pipe; waiting for what is written to it\n"


@posix
def test_a_pipe_that_a_config_names_is_not_waited_for(tmp_path: Path) -> None:
    text = CLEAN.replace("MULTI_GPU", "DEEPSPEED")
    tree(tmp_path, {"a.yaml": f"{text}deepspeed_config:\n  deepspeed_config_file: ds.json\n"})
    os.mkfifo(tmp_path / "ds.json")
    run = shell(tmp_path, "cfglint a.yaml --output-format json")
    assert [f["kind"] for f in json.loads(run.stdout)["files"]] == ["accelerate"]


@posix
def test_a_stream_over_the_limit(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": BAD * 3, "cfglint.toml": "max-file-size = 100\n"})
    run = shell(tmp_path, "cfglint <(cat a.yaml) --output-format concise")
    assert run.returncode == 1
    assert "over the limit of 100 bytes" in run.stdout
    run = cfglint(tmp_path, "-", *CONCISE, stdin=BAD.encode())
    assert [p.split()[1] for p in places(run)] == ["SYN001"]


def test_files_on_disk_are_no_streams(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": BAD})
    assert not is_stream(tmp_path)
    assert not is_stream(tmp_path / "a.yaml")
    assert not is_stream(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "torchrun --nproc_per_node 8 t.py\n",
        "# how we start it\nexport A=1\nexec torchrun t.py",
        "CUDA_VISIBLE_DEVICES=0,1 accelerate launch t.py",
        "NCCL_X=a:b deepspeed \\\n  t.py",
        "cd x\npython3 -u -m torch.distributed.run t.py",
        "srun --nodes 2 python t.py",
        "#SBATCH --nodes 2\npython t.py",
        "\ufeff#!/bin/sh\n",
    ],
)
def test_text_that_starts_jobs_is_shell(text: str) -> None:
    assert guess_name(text) == "stdin.sh"


@pytest.mark.parametrize(
    "text",
    [
        "command: torchrun t.py\n",
        "services:\n  a:\n    command: >\n      torchrun t.py\n",
        "- torchrun\n- t.py\n",
        "# torchrun t.py\ndistributed_type: NO\n",
        "deepspeed: ds.json\nmodel_name_or_path: x\n",
        "launcher: torchrun\n",
        "",
        "x " * 50_000,
    ],
)
def test_text_that_names_a_launcher_is_not_shell(text: str) -> None:
    assert guess_name(text) == "stdin.yaml"


def test_shell_without_a_first_line(tmp_path: Path) -> None:
    text = b"torchrun --nproc_per_node 8 --master_port 70000 t.py\n"
    assert "stdin.sh:1 PORT004" in places(cfglint(tmp_path, "-", *CONCISE, stdin=text))


def test_standard_input_of_no_kind_is_mentioned(tmp_path: Path) -> None:
    run = cfglint(tmp_path, "-", stdin=b"hello\n")
    assert run.code == 0
    assert "standard input: no mark of a kind" in run.err
    assert "--stdin-filename" in run.err
    run = cfglint(tmp_path, "-", "--stdin-filename", "x.yaml", stdin=b"hello\n")
    assert "standard input: no mark of a kind" in run.err
    assert "--stdin-filename" not in run.err


def test_named_files_of_no_kind_are_mentioned(tmp_path: Path) -> None:
    names = [f"{letter}.txt" for letter in "abcdefg"]
    tree(tmp_path, {"x.yaml": CLEAN, **dict.fromkeys(names, "hello\n")})
    run = cfglint(tmp_path, "x.yaml", "a.txt")
    assert run.err == "cfglint: no mark of a kind that cfglint knows: a.txt\n"
    assert "No problems found in 2 files (1 of them configs)." in run.out
    run = cfglint(tmp_path, *names)
    assert run.err.endswith("a.txt, b.txt, c.txt, d.txt, e.txt and 2 more\n")
    assert run.out == "No configs found in 7 files.\n"
    for quiet in (["."], ["a.txt", "-q"], ["a.txt", "--force-exclude"], ["x.yaml"]):
        assert cfglint(tmp_path, *quiet).err == ""


def test_a_folder_without_configs(tmp_path: Path) -> None:
    tree(tmp_path, {"empty/.keep": "", "other/a.yaml": "a: 1\n"})
    assert cfglint(tmp_path, "empty").out == "No configs found.\n"
    assert cfglint(tmp_path, "other").out == "No configs found in 1 file.\n"
