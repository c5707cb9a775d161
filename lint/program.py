"""What a Python program says of its process groups: just that, read with `ast` and never run."""

from __future__ import annotations

import ast
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cfglint.record import dataclass, replace

if TYPE_CHECKING:
    from cfglint.launch import Launch
    from cfglint.project import Project

MAX_BYTES = 2_000_000
_OPTIONS = ("--backend", "--dist-backend", "--dist_backend", "--distributed-backend")


@dataclass(slots=True)
class ProcessGroups:
    """The backend of a program ("" where it names none) and how many groups of all its ranks it
    makes, the default one included; `exact` is False where a loop's length is not known.
    `gloo_beside`: it makes a group of Gloo's of its own."""

    backend: str = ""
    groups: int = 1
    exact: bool = True
    gloo_beside: bool = False


def process_groups(project: Project, launch: Launch) -> ProcessGroups | None:
    """The groups of the program that a launch names, None where no such file is at hand.

    An option of the command (`--backend gloo`) beats what the program says.
    """
    program = launch.program
    if program is None or not program.text.endswith(".py"):
        return None
    found: ProcessGroups | None = None
    for path in project.candidates(launch.document, program.text):
        if project.is_inside(path) and path.is_file():
            found = project.fact(("process groups", str(path)), partial(_read, path))
            break
    words = [word.text or "" for word in program.args]
    for at, word in enumerate(words):
        name, _, value = word.partition("=")
        if name in _OPTIONS:
            backend = value or (words[at + 1] if at + 1 < len(words) else "")
            groups = found or ProcessGroups()
            return replace(groups, backend=backend)
    return found


def _read(path: Path) -> ProcessGroups | None:
    try:
        data = path.read_bytes()
        tree = ast.parse(data) if len(data) <= MAX_BYTES else None
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if tree is None:
        return None
    result = ProcessGroups()
    _visit(tree, 1, True, result)
    return result


def _visit(node: ast.AST, times: int, exact: bool, result: ProcessGroups) -> None:
    """Count the calls below a node; `times` is how often the loops around it run."""
    stack = [(node, times, exact)]
    while stack:
        node, times, exact = stack.pop()
        if isinstance(node, ast.Call):
            _call(node, times, exact, result)
        if isinstance(node, (ast.For, ast.ListComp, ast.While)):
            length = _length(node)
            times, exact = times * (length or 1), exact and length is not None
        stack += [(child, times, exact) for child in ast.iter_child_nodes(node)]


def _call(node: ast.Call, times: int, exact: bool, result: ProcessGroups) -> None:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    keywords = {k.arg: k.value for k in node.keywords}
    if name == "init_process_group":
        value = keywords.get("backend") or (node.args[0] if node.args else None)
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            result.backend = value.value
    elif name == "new_group":
        ranks = keywords.get("ranks") or (node.args[0] if node.args else None)
        kind = keywords.get("backend")
        if isinstance(kind, ast.Constant) and kind.value == "gloo":
            result.gloo_beside = True
        some = ranks is not None and not (isinstance(ranks, ast.Constant) and ranks.value is None)
        if not some:  # a group of some ranks makes fewer connections
            result.groups += times
            result.exact = result.exact and exact


def _length(node: ast.For | ast.ListComp | ast.While) -> int | None:
    """How often a loop over `range(N)` or over a list written out runs."""
    if isinstance(node, ast.While):
        return None
    over = node.iter if isinstance(node, ast.For) else node.generators[0].iter
    if isinstance(over, (ast.List, ast.Tuple)):
        return len(over.elts)
    if isinstance(over, ast.Call) and getattr(over.func, "id", "") == "range":
        bounds = [a.value for a in over.args if isinstance(a, ast.Constant)]
        numbers = [b for b in bounds if isinstance(b, int)]
        if len(numbers) == len(over.args) and 1 <= len(numbers) <= 2:
            return max(0, numbers[-1] - (numbers[0] if len(numbers) == 2 else 0))
    return None
