"""What may import what: the folders of lint/ stand one above the other, and rules on the model.

A unit is a folder of lint/ or a module beside them. Imports inside functions count; those under
TYPE_CHECKING do not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# The way of the data, from the bottom: none of these imports one that stands behind it.
WAY = (
    "text", "model", "syntax", "commands", "readers", "files", "project", "jobs", "engine",
    "session", "explain", "cli",
)  # fmt: skip
OUTSIDE = ("adoption", "cli", "explain", "fixing", "report", "session", "show")  # of what is linted
KEPT_FROM_RULES = ("cli", "commands", "engine", "readers", "report", "rules", "session", "syntax")
Graph = dict[str, dict[str, str]]  # a unit, what it imports, and a place where it does


def imported(path: Path) -> Iterator[tuple[str, int]]:
    """The modules of the package that a file imports when it runs, without `cfglint.`, and where."""
    tree = ast.parse(path.read_text())
    left_out = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if id(node) in left_out:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            module, _, rest = node.module.partition(".")
            if module == "cfglint":
                names = [rest] if rest else [alias.name for alias in node.names]
                yield from ((name, node.lineno) for name in names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                module, _, rest = alias.name.partition(".")
                if module == "cfglint" and rest:
                    yield rest, node.lineno


def units(root: Path) -> Graph:
    """Which unit of a tree imports which others."""
    graph: Graph = {}
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root)
        own = relative.parts[0] if len(relative.parts) > 1 else relative.stem
        needs = graph.setdefault(own, {})
        for module, line in imported(path):
            other = module.partition(".")[0]
            if other != own:
                needs.setdefault(other, f"{relative}:{line}")
    return graph


def circle(graph: Graph) -> list[str]:
    """The units of a circle, each with the place where it imports the next; [] where there is
    none."""
    done: set[str] = set()

    def search(unit: str, way: list[str]) -> list[str]:
        if unit in way:
            around = [*way[way.index(unit) :], unit]
            return [f"{graph[a][b]} imports {b}" for a, b in pairwise(around)]
        if unit in done:
            return []
        for other in graph.get(unit, ()):
            found = search(other, [*way, unit])
            if found:
                return found
        done.add(unit)
        return []

    return next((found for unit in graph if (found := search(unit, []))), [])


LINT = units(ROOT / "lint")


def test_a_circle_is_found(tmp_path: Path) -> None:
    files = {
        "a/one.py": "def f():\n    from cfglint.b import two\n",
        "b/two.py": "import cfglint.c\n",
        "c.py": "from cfglint import a\n",
        "d.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from cfglint.e import x\n",
        "e.py": "from cfglint.d import y\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = units(tmp_path)
    assert found["d"] == {}
    assert circle(found) == ["a/one.py:2 imports b", "b/two.py:1 imports c", "c.py:1 imports a"]
    (tmp_path / "c.py").write_text("import os\n")
    assert circle(units(tmp_path)) == []


def test_no_folder_needs_another_that_needs_it() -> None:
    assert len(LINT) > 30
    assert circle(LINT) == []


@pytest.mark.parametrize(("at", "unit"), list(enumerate(WAY)))
def test_none_imports_what_stands_above_it(at: int, unit: str) -> None:
    above = {other: place for other, place in LINT[unit].items() if other in WAY[at + 1 :]}
    assert above == {}


@pytest.mark.parametrize("unit", [*WAY[: WAY.index("engine")], "rule", "releases", "network"])
def test_what_is_linted_knows_nothing_of_what_is_made_of_it(unit: str) -> None:
    assert {other: place for other, place in LINT[unit].items() if other in OUTSIDE} == {}


def test_rules_see_the_model() -> None:
    paths = sorted((ROOT / "rules").rglob("*.py"))
    assert len(paths) > 100
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for path in paths
        for module, line in imported(path)
        if module.partition(".")[0] in KEPT_FROM_RULES
    ]
    assert wrong == []
