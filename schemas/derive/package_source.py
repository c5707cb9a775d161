"""Read a released package's Python source without installing it.

`fetch` gets the wheel of one release with pip (once: wheels are kept outside the repository, in
`$CFGLINT_DERIVE_CACHE` or ~/.cache/cfglint-derive). `PackageSource` gives its modules as syntax
trees and answers the questions that derive scripts ask of them: what are the fields of this
dataclass, what are the values of this enum, what is this constant?
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING"})()
"""Stands for "no such value": a default that is computed, a constant that cannot be folded."""


def cache_folder() -> Path:
    """Where wheels are kept."""
    chosen = os.environ.get("CFGLINT_DERIVE_CACHE")
    return Path(chosen) if chosen else Path.home() / ".cache" / "cfglint-derive"


def released(package: str) -> list[str]:
    """All final releases of a package on the index, oldest first. Raises RuntimeError."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "index", "versions", package, "--disable-pip-version-check"],
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.search(r"Available versions: (.*)", done.stdout)
    if not found:
        raise RuntimeError(f"pip finds no releases of {package}: {done.stderr.strip()[-300:]}")
    return [v.strip() for v in found[1].split(",")][::-1]


def fetch(package: str, version: str) -> Path:
    """The wheel of one release. Raises RuntimeError when pip cannot get it."""
    folder = cache_folder() / package
    # a local build such as 2.13.0+cpu serves too
    pattern = f"{package.replace('-', '_')}-{version}[-+]*.whl"
    for wheel in folder.glob(pattern):
        return wheel
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--no-binary=:none:",
        "--disable-pip-version-check",
        "--dest",
        str(folder),
        f"{package}=={version}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    for wheel in folder.glob(pattern):
        return wheel
    raise RuntimeError(f"pip cannot get {package} {version}: {done.stderr.strip()[-300:]}")


_TRIES = 12  # an index may list releases that have no wheel for this Python


@dataclass
class Field:
    """A dataclass field: its annotation, its default (MISSING where there is none to name)."""

    name: str
    annotation: ast.expr
    default: Any = MISSING
    required: bool = False
    settable: bool = True


@dataclass
class PackageSource:
    """The modules of one release, by their path in the wheel (`pkg/sub/module.py`)."""

    root: zipfile.ZipFile | Path
    _modules: dict[str, ast.Module] = field(default_factory=dict)

    @classmethod
    def of_release(cls, package: str, version: str) -> PackageSource:
        return cls(zipfile.ZipFile(fetch(package, version)))

    @classmethod
    def newest(cls, package: str) -> tuple[str, PackageSource]:
        """The newest release that pip can get here, and its number; what is passed over is said on
        standard error. Raises RuntimeError."""
        problem = ""
        for version in released(package)[: -_TRIES - 1 : -1]:
            try:
                return version, cls.of_release(package, version)
            except RuntimeError as error:
                problem = str(error)
                reason = problem.splitlines()[-1]
                print(f"{package} {version} is passed over: {reason}", file=sys.stderr)
        raise RuntimeError(f"none of the newest releases of {package} can be got: {problem}")

    def text(self, path: str) -> str | None:
        """A file's text, None where the release has no such file."""
        try:
            if isinstance(self.root, Path):
                return (self.root / path).read_text(encoding="utf-8")
            return self.root.read(path).decode("utf-8")
        except (KeyError, FileNotFoundError):
            return None

    def module(self, path: str) -> ast.Module:
        """A module's syntax tree, empty where the release has no such file."""
        if path not in self._modules:
            self._modules[path] = ast.parse(self.text(path) or "")
        return self._modules[path]

    def classes(self, *paths: str) -> dict[str, ast.ClassDef]:
        """The classes of some modules by name."""
        return {
            n.name: n
            for p in paths
            for n in ast.walk(self.module(p))
            if isinstance(n, ast.ClassDef)
        }

    def functions(self, *paths: str) -> dict[str, ast.FunctionDef]:
        """The module-level functions of some modules by name."""
        return {
            n.name: n for p in paths for n in self.module(p).body if isinstance(n, ast.FunctionDef)
        }


class Names:
    """Classes, enums and constants that the source at hand may refer to."""

    def __init__(
        self, classes: dict[str, ast.ClassDef], constants: dict[str, Any] | None = None
    ) -> None:
        self.classes = classes
        self.constants: dict[str, Any] = dict(constants or {})
        self.enums = {
            name: values for name, node in classes.items() if (values := enum_values(node))
        }

    def fold(self, node: ast.AST | None, local: dict[str, Any] | None = None) -> Any:
        """The constant an expression stands for, enum members as their values, else MISSING."""
        if node is None:
            return MISSING
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return (local or {}).get(node.id, self.constants.get(node.id, MISSING))
        if isinstance(node, ast.Attribute):
            if node.attr == "value":
                return self.fold(node.value, local)
            if isinstance(node.value, ast.Name):
                return self.enums.get(node.value.id, {}).get(node.attr, MISSING)
            return MISSING
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            items = [self.fold(item, local) for item in node.elts]
            return MISSING if MISSING in items else items
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self.fold(node.operand, local)
            return -value if isinstance(value, int | float) else MISSING
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            left, right = self.fold(node.left, local), self.fold(node.right, local)
            return left * right if isinstance(left, int) and isinstance(right, int) else MISSING
        return MISSING

    def lineage(self, name: str) -> Iterator[ast.ClassDef]:
        """A class and its bases, as far as they are known, in the order in which they count."""
        seen: set[str] = set()

        def walk(name: str) -> Iterator[ast.ClassDef]:
            node = self.classes.get(name)
            if node is None or name in seen:
                return
            seen.add(name)
            yield node
            for base in node.bases:
                if isinstance(base, ast.Name):
                    yield from walk(base.id)

        return walk(name)

    def fields(self, name: str) -> dict[str, Field]:
        """The dataclass fields of a class, inherited ones included."""
        found: dict[str, Field] = {}
        for node in self.lineage(name):
            local: dict[str, Any] = {}
            for statement in node.body:
                if isinstance(statement, ast.Assign | ast.If):
                    _class_constants(statement, self, local)
                elif _is_field(statement):
                    made = _field(statement, self, local)
                    found.setdefault(made.name, made)
        return found

    def method(self, owner: str, name: str) -> ast.FunctionDef | None:
        """A method, looked up along the bases."""
        for node in self.lineage(owner):
            for statement in node.body:
                if isinstance(statement, ast.FunctionDef) and statement.name == name:
                    return statement
        return None


def _class_constants(statement: ast.stmt, names: Names, local: dict[str, Any]) -> None:
    """Names bound in a class body; of two ways to bind one the last is the up-to-date one."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            local[node.targets[0].id] = names.fold(node.value, local)


def _is_field(statement: ast.stmt) -> TypeGuard[ast.AnnAssign]:
    return (
        isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and "ClassVar" not in ast.unparse(statement.annotation)
    )


def _field(statement: ast.AnnAssign, names: Names, local: dict[str, Any]) -> Field:
    assert isinstance(statement.target, ast.Name)
    made = Field(statement.target.id, statement.annotation)
    value = statement.value
    if value is None:
        made.required = True
    elif (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id == "field"
    ):
        options = {k.arg: k.value for k in value.keywords}
        made.settable = names.fold(options.get("init")) is not False
        if "default" in options:
            made.default = names.fold(options["default"], local)
        elif "default_factory" in options:
            factory = options["default_factory"]
            made.default = {"list": [], "dict": {}}.get(ast.unparse(factory), MISSING)
        else:
            made.required = True
    else:
        made.default = names.fold(value, local)
    return made


def enum_values(node: ast.ClassDef) -> dict[str, Any]:
    """Member names and values of an enum class, {} for another class."""
    if not any("Enum" in ast.unparse(base) for base in node.bases):
        return {}
    return {
        s.targets[0].id: s.value.value
        for s in node.body
        if isinstance(s, ast.Assign)
        and isinstance(s.targets[0], ast.Name)
        and isinstance(s.value, ast.Constant)
    }


def default_of(field: Field, types: list[str]) -> dict[str, Any]:
    """The default of a field as an attribute of its key: null for what may be null and has no
    default that could be named, none where it is null and may not be."""
    if field.default is MISSING or field.default is None:
        return {"default": None} if "null" in types and not field.required else {}
    return {"default": field.default}


SIMPLE = {
    "bool": "bool",
    "int": "int",
    "float": "number",
    "str": "str",
    "dict": "mapping",
    "Dict": "mapping",
    "list": "list",
    "List": "list",
    "None": "null",
    "Path": "str",
}


def type_of(annotation: ast.expr, names: Names) -> tuple[list[str], list[Any] | None]:
    """The types a value may have and, where only some values are allowed, these.

    Types are named as in shape.py; `any` for what has no form in a file.
    """
    types: list[str] = []
    choices: list[Any] = []

    def add(node: ast.expr) -> None:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            add(node.left)
            add(node.right)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            add(ast.parse(node.value, mode="eval").body)
        elif isinstance(node, ast.Constant) and node.value is None:
            types.append("null")
        elif isinstance(node, ast.Subscript):
            head = ast.unparse(node.value).rpartition(".")[2]
            inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if head == "Literal":
                choices.extend(e.value for e in inner if isinstance(e, ast.Constant))
            elif head in ("Optional", "Union"):
                for item in inner:
                    add(item)
                if head == "Optional":
                    types.append("null")
            else:
                types.append(SIMPLE.get(head, "any"))
        elif isinstance(node, ast.Name) and node.id in names.enums:
            choices.extend(names.enums[node.id].values())
        else:
            types.append(SIMPLE.get(ast.unparse(node).rpartition(".")[2], "any"))

    add(annotation)
    for choice in choices:
        types.append({bool: "bool", int: "int", str: "str"}.get(type(choice), "any"))
    if not all(isinstance(choice, str) for choice in choices):
        choices = []  # `Literal[False]` among other types bounds nothing of interest
    return list(dict.fromkeys(types)), choices or None
