"""action.yml and the Dockerfile, as far as they can be run without GitHub and without a daemon."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from cfglint.files.loading import load
from cfglint.syntax import dockerfile
from tests.hooks.test_hooks import ROOT, SINGLE

EXPRESSION = re.compile(r"\$\{\{\s*(.+?)\s*\}\}")


@pytest.fixture(scope="module")
def action() -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    return data


@pytest.fixture(scope="module")
def runner(action: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a runner in which the action's first step has installed cfglint."""
    folder = tmp_path_factory.mktemp("runner")
    source = folder / "action"
    for name in ("lint", "rules", "schemas"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    done = step(action, 0, folder, {"python": sys.executable}, folder)
    assert done.returncode == 0, done.stderr
    return folder


def step(
    action: dict[str, Any], number: int, runner: Path, inputs: dict[str, str], folder: Path
) -> subprocess.CompletedProcess[str]:
    """Run a step of the action as a runner does: expressions filled in, its `run` in bash."""
    one = action["runs"]["steps"][number]
    known = {f"inputs.{n}": str(i.get("default", "")) for n, i in action["inputs"].items()}
    known |= {f"inputs.{name}": value for name, value in inputs.items()}
    known["github.action_path"] = str(runner / "action")
    env = {
        name: EXPRESSION.sub(lambda m: known[m[1]], str(value))
        for name, value in one["env"].items()
    }
    assert not EXPRESSION.search(one["run"]), "an expression in a script can run commands"
    output = {"RUNNER_TEMP": str(runner), "GITHUB_OUTPUT": str(runner / "output")}
    (runner / "output").write_text("")
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", one["run"]],
        cwd=folder, env={**os.environ, **output, **env}, capture_output=True, text=True,
    )  # fmt: skip


def test_action_annotates(action: dict[str, Any], runner: Path, tmp_path: Path) -> None:
    (tmp_path / "acc.yaml").write_text(SINGLE)
    done = step(action, 1, runner, {"sarif-file": "out.sarif"}, tmp_path)
    assert done.returncode == 1, done.stderr
    assert "::warning file=acc.yaml,line=5," in done.stdout
    assert (runner / "output").read_text() == "exit-code=1\n"
    assert '"PORT001"' in (tmp_path / "out.sarif").read_text()


def test_action_inputs(action: dict[str, Any], runner: Path, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "acc.yaml").write_text(SINGLE)
    (tmp_path / "b").mkdir()
    inputs = {"paths": "a b", "args": "--select PORT --ignore PORT003", "fail-on": "error"}
    done = step(action, 1, runner, inputs, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "::warning file=a/acc.yaml" in done.stdout
    assert (runner / "output").read_text() == "exit-code=0\n"


def test_action_input_is_no_code(action: dict[str, Any], runner: Path, tmp_path: Path) -> None:
    done = step(action, 1, runner, {"paths": "$(touch bad) ; touch bad #"}, tmp_path)
    assert done.returncode == 2
    assert not (tmp_path / "bad").exists()


def test_action_describes_itself(action: dict[str, Any]) -> None:
    assert all(one["description"] for one in action["inputs"].values())
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text()))
    assert used == set(action["inputs"])


def test_image_is_built_of_what_the_package_needs(tmp_path: Path) -> None:
    """What the Dockerfile copies makes a whole wheel: every module, rule and schema is in it."""
    scanned = dockerfile.parse(load(ROOT / "Dockerfile", ROOT, True, 10**7).source)
    copied = [one.text.split()[1:] for one in scanned.instructions if one.name == "COPY"]
    sources = [word.rstrip("/") for words in copied for word in words[:-1]]
    assert {"lint", "rules", "schemas", "setup.py", "pyproject.toml"} <= set(sources)
    kept = (ROOT / ".dockerignore").read_text().split()
    for name in sources:
        assert f"!{name}" in kept, f".dockerignore leaves {name} out"
        if (ROOT / name).is_dir():
            ignore = shutil.ignore_patterns("__pycache__", "derive")
            shutil.copytree(ROOT / name, tmp_path / name, ignore=ignore)
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", "wheels", "."],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    (wheel,) = (tmp_path / "wheels").glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder, package in (("lint", "cfglint"), ("rules", "cfglint/rules")):
        for path in (tmp_path / folder).rglob("*.py"):
            assert f"{package}/{path.relative_to(tmp_path / folder).as_posix()}" in names
    for path in (tmp_path / "schemas").glob("*.json"):
        assert f"cfglint/schemas/{path.name}" in names
