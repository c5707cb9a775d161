"""`--add-ignores` writes comments that silence what is left, and changes nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.commandline import BAD, cfglint, tree

PORT = "main_process_port: 70000"
COMPOSE = """\
services:
  trainer:
    image: trainer
    command: >
      torchrun --nnodes 1 --nproc_per_node 8
      --master_port 70000
      train.py
    environment:
      - NCCL_DEBUG=INFO
"""
DOCKERFILE = """\
# syntax=docker/dockerfile:1
FROM python:3.11
CMD accelerate launch \\
    --main_process_port 70000 \\
    train.py
"""
SCRIPT = """\
#!/bin/bash
if true; then
  torchrun --nproc_per_node 8 \\
    --master_port 70000 train.py
fi
"""
ENV = "MASTER_PORT=70000\n"
USER = """\
services:
  trainer:
    image: trainer
    env_file: [.env]
    command: accelerate launch --multi_gpu --num_processes 8 train.py
"""


def add(folder: Path, *args: str) -> str:
    run = cfglint(folder, "--add-ignores", "--select", "PORT004", *args)
    assert run.code == 0, run.err
    return run.out


def left(folder: Path) -> str:
    return cfglint(folder, "--select", "PORT004,META", "--output-format", "concise").out


def test_yaml(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": BAD})
    wrote = "Wrote comments for 1 finding in 1 file.\n"
    assert add(tmp_path, "--reason", "the old firewall") == wrote
    comment = "# cfglint: ignore[PORT004] -- the old firewall"
    assert (tmp_path / "a.yaml").read_text() == BAD.replace(PORT, f"{PORT}  {comment}")
    assert "No problems found" in left(tmp_path)
    assert add(tmp_path) == "Wrote comments for 0 findings in 0 files.\n"


def test_a_comment_that_is_there_is_extended(tmp_path: Path) -> None:
    old = BAD.replace(PORT, f"{PORT}  # cfglint: ignore[PORT001] -- mine")
    tree(tmp_path, {"a.yaml": old})
    add(tmp_path)
    wanted = "# cfglint: ignore[PORT001, PORT004] -- mine"
    assert wanted in (tmp_path / "a.yaml").read_text()


def test_a_comment_of_another_kind_stays(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": BAD.replace(PORT, f"{PORT} # agreed")})
    add(tmp_path)
    text = (tmp_path / "a.yaml").read_text()
    assert f"{PORT} # agreed  # cfglint: ignore[PORT004] -- TODO: say why\n" in text


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("compose.yaml", COMPOSE),
        ("Dockerfile", DOCKERFILE),
        ("run.sh", SCRIPT),
        ("b.yaml", BAD[:-1]),
    ],
)
def test_values_and_statements_of_several_lines(
    tmp_path: Path, name: str, text: str, newline: str
) -> None:
    if newline == "\r\n" and name == "run.sh":
        pytest.skip("bash takes the carriage return into the word")
    old = text.replace("\n", newline)
    tree(tmp_path, {name: old})
    assert "PORT004" in left(tmp_path), "the file shows the fault"
    assert add(tmp_path) == "Wrote comments for 1 finding in 1 file.\n"
    new = (tmp_path / name).read_bytes().decode()
    assert "No problems found" in left(tmp_path)
    kept = [line for line in new.split(newline) if "# cfglint:" not in line]
    if name != "b.yaml":
        assert kept == old.split(newline)
    if name.endswith(".yaml"):
        assert yaml.safe_load(new) == yaml.safe_load(old)


JSON = '{"distributed_type": "MULTI_GPU", "num_processes": 8,\n"main_process_port": 70000}'


@pytest.mark.parametrize(
    ("name", "files"),
    [("a.json", {"a.json": JSON}), (".env", {".env": ENV, "compose.yaml": USER})],
)
def test_files_that_take_no_comment(tmp_path: Path, name: str, files: dict[str, str]) -> None:
    tree(tmp_path, files)
    assert "PORT004" in left(tmp_path), "the file shows the fault"
    out = add(tmp_path)
    assert (tmp_path / name).read_text() == files[name]
    assert f'[per-file-ignores]\n"{name}" = ["PORT004"]' in out
    tree(tmp_path, {"cfglint.toml": out[out.index("[per-file-ignores]") :]})
    assert "No problems found" in left(tmp_path)


def test_diff_shows_and_writes_nothing(tmp_path: Path) -> None:
    tree(tmp_path, {"a.yaml": BAD})
    out = add(tmp_path, "--diff")
    assert f"-{PORT}\n+{PORT}  # cfglint: ignore[PORT004] -- TODO: say why" in out
    assert (tmp_path / "a.yaml").read_text() == BAD
    assert cfglint(tmp_path, "--add-ignores", "--fix").code == 2
    assert cfglint(tmp_path, "-", "--add-ignores").code == 2


def test_a_heredoc_is_left_alone(tmp_path: Path) -> None:
    script = "#!/bin/bash\ncat > run.sh <<'EOF'\ntorchrun --master_port 70000 train.py\nEOF\n"
    tree(tmp_path, {"make.sh": script})
    add(tmp_path)
    assert (tmp_path / "make.sh").read_text() == script
