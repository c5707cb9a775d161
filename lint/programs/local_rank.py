"""Which spellings of the local rank a Python program's own parser takes, read with `ast`.

Sources: torch/distributed/run.py (`config_from_args`: without `--use_env` torch.distributed.launch
puts `--local-rank=N` in front of the program's arguments, until torch 1.13 `--local_rank=N`);
argparse (an option is known by its exact spelling or a prefix of it; `parse_args` refuses others).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cfglint.programs.process_groups import parsed, program_path

if TYPE_CHECKING:
    from cfglint.model.launch import Launch
    from cfglint.project import Project

DASHED, UNDERSCORED = "--local-rank", "--local_rank"
# What a parser is asked to do here that gives it no options from elsewhere.
_OWN = frozenset(
    """
    add_argument add_argument_group add_mutually_exclusive_group error exit format_help parse_args
    print_help print_usage set_defaults
    """.split()  # noqa: SIM905 (a table)
)
_GROUPS = ("add_argument_group", "add_mutually_exclusive_group")


def taken(project: Project, launch: Launch) -> frozenset[str] | None:
    """The options that the program of a launch takes, None where its parser is not seen whole: it
    has none, several, leaves over what it does not know, or hands it to others."""
    path = program_path(project, launch)
    if path is None:
        return None
    found: frozenset[str] | None = project.fact(("options", str(path)), partial(_options, path))
    return found


def _options(path: Path) -> frozenset[str] | None:
    tree = parsed(path)
    makers = _makers(tree) if tree is not None else ()
    if tree is None or not makers:
        return None
    nodes = list(ast.walk(tree))
    made = [n for n in nodes if isinstance(n, ast.Call) and ast.unparse(n.func) in makers]
    if len(made) != 1 or any(k.arg in ("parents", None) for k in made[0].keywords):
        return None
    names = set(_named(nodes, made[0]))
    groups = (n for n in nodes if _method(n, names) in _GROUPS)
    everyone = names.union(*(_named(nodes, group) for group in groups)) if names else names
    options, asked = _read(nodes, everyone)
    return options if asked and _stays(nodes, everyone) else None


def _makers(tree: ast.Module) -> tuple[str, ...]:
    """What argparse's parser is called in a program."""
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = (a for a in node.names if a.name == "argparse")
            found += [f"{a.asname or a.name}.ArgumentParser" for a in modules]
        elif isinstance(node, ast.ImportFrom) and node.module == "argparse":
            classes = (a for a in node.names if a.name == "ArgumentParser")
            found += [a.asname or a.name for a in classes]
    return tuple(found)


def _named(nodes: list[ast.AST], value: ast.AST) -> Iterator[str]:
    """The variables that a value is assigned to."""
    for node in nodes:
        if isinstance(node, ast.Assign) and node.value is value:
            yield from (t.id for t in node.targets if isinstance(t, ast.Name))


def _method(node: ast.AST, names: set[str]) -> str:
    """The method of one of the named objects that a call asks for, "" for other calls."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return ""
    owner = node.func.value
    return node.func.attr if isinstance(owner, ast.Name) and owner.id in names else ""


def _read(nodes: list[ast.AST], names: set[str]) -> tuple[frozenset[str] | None, bool]:
    """The options that are added (None where one is not seen), and whether the command's arguments
    are parsed, by `parse_args` alone."""
    options: set[str] = set()
    asked = False
    for node in nodes:
        method = _method(node, names)
        if method == "add_argument" and isinstance(node, ast.Call):
            spelt = [a.value for a in node.args if isinstance(a, ast.Constant)]
            rest = [k.value for k in node.keywords if k.arg == "nargs"]
            if len(spelt) != len(node.args) or not spelt or any(map(_takes_the_rest, rest)):
                return None, False
            options.update(str(one) for one in spelt)
        elif method == "parse_args" and isinstance(node, ast.Call):
            if node.args or node.keywords:
                return None, False
            asked = True
    return frozenset(options), asked


def _takes_the_rest(nargs: ast.expr) -> bool:
    return not isinstance(nargs, ast.Constant) or nargs.value == "..."


def _stays(nodes: list[ast.AST], names: set[str]) -> bool:
    """Whether the parser and its groups are used for nothing but their own methods."""
    uses = sum(isinstance(n, ast.Name) and n.id in names for n in nodes)
    stored = sum(
        isinstance(n, ast.Name) and n.id in names and isinstance(n.ctx, ast.Store) for n in nodes
    )
    own = sum(_method(n, names) in _OWN for n in nodes)
    return uses == stored + own
