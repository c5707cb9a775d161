"""Hold cfglint against a real loader: find its environment, mutate good files, count agreement."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
SETTLED = ("SYN", "ACC", "DS", "LF", "TOPO", "PORT", "ADDR")  # families that speak of one file


def python_of(package: str) -> str:
    """The Python of a package's oracle environment; skips the test where there is none."""
    folder = Path(os.environ.get("CFGLINT_ORACLES", Path.home() / ".cache/cfglint-oracles"))
    python = folder / package / "bin/python"
    if not python.exists():
        pytest.skip(f"no oracle: run tests/oracle/environment.sh {package}")
    return str(python)


def overlay_of(package: str, release: str) -> str:
    """The folder with an older release, to be put in front of the environment's packages."""
    folder = Path(python_of(package)).parents[1] / "overlays" / release
    if not folder.is_dir():
        pytest.skip(f"no {package} {release}: run tests/oracle/environment.sh {package}")
    return str(folder)


def verdicts(package: str, files: list[Path], overlay: str = "") -> list[dict[str, Any]]:
    """What the real loader says of each file, by the package's oracle script."""
    command = [python_of(package), str(HERE / f"{package}_oracle.py")]
    text = "".join(f"{path.resolve()}\n" for path in files)
    env = os.environ | ({"PYTHONPATH": overlay} if overlay else {})
    with tempfile.TemporaryDirectory() as folder:  # what the package writes beside it goes there
        run = subprocess.run(
            command, input=text, capture_output=True, text=True, env=env, cwd=folder, check=False
        )
    lines = run.stdout.splitlines()
    assert len(lines) == len(files), run.stderr[-2000:]
    return [json.loads(line) for line in lines]


def lint(folder: Path, versions: dict[str, str]) -> dict[str, list[dict[str, Any]]]:
    """cfglint's errors under deployed versions, by file path relative to the folder."""
    pins = "".join(f'{name} = "{version}"\n' for name, version in versions.items())
    (folder / "cfglint.toml").write_text(f"[versions]\n{pins}", encoding="utf-8")
    command = [sys.executable, "-m", "cfglint", "--output-format", "json", "."]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stderr[-2000:]
    errors: dict[str, list[dict[str, Any]]] = {}
    for finding in json.loads(run.stdout)["findings"]:
        if finding["severity"] == "error" and finding["code"].startswith(SETTLED):
            errors.setdefault(finding["path"].removeprefix("./"), []).append(finding)
    return errors


def place(number: int) -> str:
    """A folder name without order, so that nothing takes the files for nodes of one job."""
    return hashlib.sha256(str(number).encode()).hexdigest()[:10]


# --- mutations


def leaves(data: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of all keys, sections included."""
    for key, value in data.items():
        yield (*path, key)
        if isinstance(value, dict):
            yield from leaves(value, (*path, key))


def parent(data: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    for step in path[:-1]:
        data = data[step]
    return data


def renamed(data: dict[str, Any], path: tuple[str, ...], name: str) -> dict[str, Any]:
    """A copy with one key called otherwise, in its place."""
    made = copy.deepcopy(data)
    mapping = parent(made, path)
    items = [(name if key == path[-1] else key, value) for key, value in mapping.items()]
    mapping.clear()
    mapping.update(items)
    return made


def changed(data: dict[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """A copy with another value at a path."""
    made = copy.deepcopy(data)
    parent(made, path)[path[-1]] = value
    return made


def other_values(value: Any) -> Iterator[tuple[str, Any]]:
    """Values of other types, and another value of the same type."""
    yield "null", None
    yield "list", [value]
    if isinstance(value, bool):
        yield "quoted", str(value)
        yield "other", not value
        yield "word", "maybe"
        yield "number", int(value)
    elif isinstance(value, int):
        yield "quoted", str(value)
        yield "float", float(value)
        yield "word", "auto"
        yield "bool", True
        yield "negative", -value - 1
    elif isinstance(value, float):
        yield "quoted", str(value)
        yield "word", "auto"
        yield "bool", True
    elif isinstance(value, str):
        yield "bool", False
        yield "number", 3
        yield "lower", value.lower()
        yield "upper", value.upper()
        yield "word", value + "x"
        yield "empty", ""
    elif isinstance(value, dict):
        yield "word", "on"
        yield "empty", {}


def mutations(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """One change each, with a label: keys misspelt, moved, removed, values of another type."""
    sections = [key for key, value in data.items() if isinstance(value, dict)]
    for path in leaves(data):
        at, key = ".".join(path), path[-1]
        value = parent(data, path)[key]
        middle = len(key) // 2
        if len(key) > 3:
            swapped = key[: middle - 1] + key[middle] + key[middle - 1] + key[middle + 1 :]
            if swapped != key:
                yield f"{at}: misspelt", renamed(data, path, swapped)
            yield f"{at}: short", renamed(data, path, key[:-2])
        yield f"{at}: hyphens", renamed(data, path, key.replace("_", "-"))
        removed = copy.deepcopy(data)
        del parent(removed, path)[key]
        yield f"{at}: removed", removed
        moved = copy.deepcopy(removed)
        if len(path) > 1:
            moved[key] = value
            yield f"{at}: moved to the top", moved
        elif sections and not isinstance(value, dict):
            moved[sections[0]][key] = value
            yield f"{at}: moved into {sections[0]}", moved
        for label, new in other_values(value):
            if new != value or type(new) is not type(value):
                yield f"{at}: {label}", changed(data, path, new)


# --- agreement


@dataclass
class Agreement:
    """The count over many files, with every disagreement."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    explained: Counter[str] = field(default_factory=Counter)

    def add(
        self,
        label: str,
        verdict: dict[str, Any],
        errors: list[dict[str, Any]],
        reason: Callable[[str, dict[str, Any], list[dict[str, Any]]], str | None],
    ) -> None:
        """Count one file. `reason` names the section of docs/agreement.md that explains a
        disagreement, None where nothing does."""
        if verdict["verdict"] == "crash":
            self.counts["crash"] += 1
            return
        refused = verdict["verdict"] == "reject"
        if refused == bool(errors):
            self.counts["agree"] += 1
            return
        why = reason(label, verdict, errors)
        if why is not None:
            self.counts["explained"] += 1
            self.explained[why] += 1
            return
        self.counts["missed" if refused else "false"] += 1
        said = verdict.get("message", "") if refused else errors[0]["code"] + errors[0]["message"]
        self.wrong.append(f"{'missed' if refused else 'false '} {label}: {said[:160]}")

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def share(self) -> float:
        """The share of files on which both agree or the disagreement is explained."""
        return (self.counts["agree"] + self.counts["explained"]) / max(1, self.total)

    def report(self) -> str:
        counts = ", ".join(f"{v} {k}" for k, v in sorted(self.counts.items()))
        explained = "".join(f"\n  explained {v}: {k}" for k, v in self.explained.most_common())
        wrong = "".join(f"\n  {line}" for line in self.wrong[:80])
        return f"{self.share:.1%} of {self.total}: {counts}{explained}{wrong}"
