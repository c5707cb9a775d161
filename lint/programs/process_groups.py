"""What a Python program says of its process groups: just that, read with `ast` and never run."""

from __future__ import annotations

import ast
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cfglint.patterns import lazy
from cfglint.programs.group_ranks import ALL, Ranks
from cfglint.record import dataclass, field, replace

if TYPE_CHECKING:
    from cfglint.model.launch import Launch, Program
    from cfglint.project import Project

MAX_BYTES = 2_000_000
_OPTIONS = ("--backend", "--dist-backend", "--dist_backend", "--distributed-backend")
_MODULE = lazy(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


@dataclass(slots=True)
class ProcessGroups:
    """The backend of a program ("" where it names none) and how many groups of all its ranks it
    makes, the default one included; `listed` counts those with a list of that many ranks. `exact`
    is False where a loop's length is not known. `gloo_beside`: it makes a group of Gloo's of its
    own."""

    backend: str = ""
    groups: int = 1
    exact: bool = True
    gloo_beside: bool = False
    listed: dict[int, int] = field(default_factory=dict)

    def among(self, world: int) -> int:
        """The number of groups of all ranks in a job of that many."""
        return self.groups + self.listed.get(world, 0)


def process_groups(project: Project, launch: Launch) -> ProcessGroups | None:
    """The groups of the program that a launch names, None where no such file is at hand.

    An option of the command (`--backend gloo`) beats what the program says.
    """
    program = launch.program
    if program is None or not _files(program):
        return None
    found: ProcessGroups | None = None
    path = program_path(project, launch)
    if path is not None:
        found = project.fact(("process groups", str(path)), partial(_read, path))
    words = [word.text or "" for word in program.args]
    for at, word in enumerate(words):
        name, _, value = word.partition("=")
        if name in _OPTIONS:
            backend = value or (words[at + 1] if at + 1 < len(words) else "")
            groups = found or ProcessGroups()
            return replace(groups, backend=backend)
    return found


def program_path(project: Project, launch: Launch) -> Path | None:
    """The Python file that a launch runs, where the project holds it."""
    names = _files(launch.program) if launch.program is not None else ()
    paths = (path for name in names for path in project.candidates(launch.document, name))
    return next((p for p in paths if project.is_inside(p) and os.path.isfile(p)), None)


def parsed(path: Path) -> ast.Module | None:
    """The syntax tree of a Python file, None where it is none or too long."""
    try:
        data = path.read_bytes()
        return ast.parse(data) if len(data) <= MAX_BYTES else None
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _files(program: Program) -> list[str]:
    """What the file of a program may be called: itself, or where `-m` finds a module."""
    if program.text.endswith(".py") and program.kind != "module":
        return [program.text]
    if program.kind != "module" or not _MODULE.fullmatch(program.text):
        return []
    path = program.text.replace(".", "/")
    return [f"{top}{path}{end}" for end in (".py", "/__main__.py") for top in ("", "src/")]


def _read(path: Path) -> ProcessGroups | None:
    tree = parsed(path)
    if tree is None:
        return None
    result = ProcessGroups()
    _visit(tree, Ranks(tree), result)
    return result


def _visit(tree: ast.AST, ranks: Ranks, result: ProcessGroups) -> None:
    """Count the calls of a program, each as often as the loops around it run."""
    stack: list[tuple[ast.AST, int, bool]] = [(tree, 1, True)]
    while stack:
        node, times, exact = stack.pop()
        if isinstance(node, ast.Call):
            _call(node, times, exact, ranks, result)
        if isinstance(node, (ast.For, ast.ListComp, ast.While)):
            length = _length(node)
            times, exact = times * (length or 1), exact and length is not None
        stack += [(child, times, exact) for child in ast.iter_child_nodes(node)]


def _call(node: ast.Call, times: int, exact: bool, ranks: Ranks, result: ProcessGroups) -> None:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    keywords = {k.arg: k.value for k in node.keywords}
    if name == "init_process_group":
        value = keywords.get("backend") or (node.args[0] if node.args else None)
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            result.backend = value.value
    elif name == "new_group":
        kind = keywords.get("backend")
        backend = kind.value if isinstance(kind, ast.Constant) else None
        if backend == "gloo":
            result.gloo_beside = True
        elif isinstance(backend, str) and "gloo" not in backend:
            return  # another backend's
        given = keywords.get("ranks") or (node.args[0] if node.args else None)
        size = ranks.size(given)
        if size is None:
            return  # a group of some ranks makes fewer connections
        if size == ALL:
            result.groups += times
        else:
            result.listed[size] = result.listed.get(size, 0) + times
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
