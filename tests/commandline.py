"""Running the command line inside the test process."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cfglint.cli import main

BAD = """\
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
num_machines: 1
num_processes: 8
main_process_port: 70000
"""
CLEAN = BAD.replace("main_process_port: 70000\n", "")
SETTINGS_OUT = ("GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE", "CI_PROJECT_DIR")


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str
    raw: bytes


class _Stream(io.TextIOWrapper):
    def __init__(self, data: bytes = b"", terminal: bool = False) -> None:
        super().__init__(io.BytesIO(data), encoding="utf-8", newline="\n")
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    @property
    def data(self) -> bytes:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue()


@contextlib.contextmanager
def _inside(cwd: Path, env: Mapping[str, str]) -> Iterator[None]:
    before, kept = Path.cwd(), dict(os.environ)
    os.chdir(cwd)
    for name in SETTINGS_OUT:
        os.environ.pop(name, None)
    os.environ.update(env)
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(kept)


def cfglint(
    cwd: Path, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None,
    terminal: bool = False,
) -> Ran:  # fmt: skip
    """Run `cfglint ARGS` in a folder."""
    streams = sys.stdin, sys.stdout, sys.stderr
    out, err = _Stream(terminal=terminal), _Stream(terminal=terminal)
    code: object = 0
    with _inside(cwd, env or {}):
        sys.stdin, sys.stdout, sys.stderr = _Stream(stdin, terminal), out, err
        try:
            main(list(args))
        except SystemExit as end:
            code = end.code
        finally:
            sys.stdin, sys.stdout, sys.stderr = streams
    return Ran(int(str(code or 0)), out.data.decode(), err.data.decode(), out.data)


def git(folder: Path, *args: str) -> str:
    """Run git in a folder, with an identity of its own."""
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *args]
    run = subprocess.run(command, cwd=folder, capture_output=True, check=True, text=True)
    return run.stdout


def repository(folder: Path, files: Mapping[str, str]) -> Path:
    """A git repository with one commit of these files on main."""
    folder.mkdir(exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    tree(folder, files)
    commit(folder, "first")
    return folder


def tree(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files into a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return folder


def commit(folder: Path, message: str) -> None:
    """Commit all that is in a folder."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)


def places(ran: Ran) -> list[str]:
    """The places and codes of a run with `--output-format concise`: `a.yaml:5 PORT004`."""
    found = []
    for line in ran.out.splitlines():
        parts = line.split(":")
        if len(parts) >= 4 and parts[1].isdigit():
            found.append(f"{parts[0]}:{parts[1]} {parts[3].split()[1]}")
    return found
