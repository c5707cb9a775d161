"""What the expressions of a package's source may stand for, and its modules, read when asked for.

Values are plain Python constants, or one of the classes here; UNKNOWN is what cannot be told.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

UNKNOWN: Any = type("Unknown", (), {"__repr__": lambda self: "UNKNOWN"})()


@dataclass(frozen=True)
class Read:
    """The value of the configuration at a dotted path; "" is the whole configuration."""

    path: str
    folded: bool = False  # .lower() or .upper() was applied

    def key(self, name: Any) -> Read:
        return Read(f"{self.path}.{name}" if self.path else str(name))


@dataclass(frozen=True)
class AnyKey:
    """Whatever keys a section has, as a loop over its items sees them."""

    section: Read


@dataclass(frozen=True)
class Function:
    module: Module
    node: ast.FunctionDef
    owner: Any = None


@dataclass(frozen=True)
class Class:
    module: Module
    node: ast.ClassDef


@dataclass(eq=False)
class Object:
    """An instance of a class of the package: only its attributes and methods matter."""

    cls: Class
    attributes: dict[str, list[Any]] = field(default_factory=dict)


@dataclass
class Key:
    """What is known of one key. `default` is UNKNOWN where it is computed."""

    defaults: list[Any] = field(default_factory=list)
    compared: list[Any] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    folded: bool = False
    refused: bool = False
    nullable: bool = False  # compared with None before it is used


@dataclass
class ModelField:
    """A field of a pydantic model: its name in a file first, then its other names."""

    names: list[str]
    annotation: ast.expr
    default: Any
    bounds: dict[str, Any]
    options: dict[str, Any]
    model: Class | None
    module: Module


class Module:
    """A module of the package: its names, evaluated when they are asked for."""

    def __init__(self, package: Package, name: str, path: Path) -> None:
        self.package = package
        self.name = name
        self.is_package = path.name == "__init__.py"
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self._bound: dict[str, ast.stmt] = {}
        self._stars: list[str] = []
        for statement in self.tree.body:
            self._bind(statement)

    def _bind(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            self._bound[statement.name] = statement
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    self._bound[target.id] = statement
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            for alias in statement.names:
                if alias.name == "*" and isinstance(statement, ast.ImportFrom):
                    self._stars.append(self.absolute(statement))
                else:
                    self._bound[alias.asname or alias.name.partition(".")[0]] = statement
        elif isinstance(statement, ast.Try | ast.If):
            for inner in statement.body:
                self._bind(inner)

    def absolute(self, node: ast.ImportFrom) -> str:
        """The full name of the module that an import statement means."""
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        keep = len(parts) - node.level + self.is_package
        return ".".join([*parts[:keep], *([node.module] if node.module else [])])

    def written(self, name: str) -> ast.expr | None:
        """The expression that a module-level name was given, None where it has none here."""
        statement = self._bound.get(name)
        return statement.value if isinstance(statement, ast.Assign) else None

    def lookup(self, name: str, seen: frozenset[str] = frozenset()) -> Any:
        """What a module-level name stands for; UNKNOWN outside the package."""
        if self.name in seen:
            return UNKNOWN
        statement = self._bound.get(name)
        if isinstance(statement, ast.FunctionDef):
            return Function(self, statement)
        if isinstance(statement, ast.ClassDef):
            return Class(self, statement)
        if isinstance(statement, ast.Assign):
            return self.package.constant(self, statement.value)
        if isinstance(statement, ast.ImportFrom):
            return self.imported(statement, name, seen)
        if isinstance(statement, ast.Import):
            return ("module", name)
        for star in self._stars:
            module = self.package.module(star)
            value = module.lookup(name, seen | {self.name}) if module else UNKNOWN
            if value is not UNKNOWN:
                return value
        return UNKNOWN

    def imported(self, node: ast.ImportFrom, name: str, seen: frozenset[str] = frozenset()) -> Any:
        """What a `from ... import` binds to a name."""
        target = self.absolute(node)
        original = next(a.name for a in node.names if name in (a.asname, a.name))
        module = self.package.module(target)
        if module is None:
            return ("module", original) if target in ("", "copy") else UNKNOWN
        value = module.lookup(original, seen | {self.name})
        return value


class Package:
    """The source of a package: `root` is the folder that holds it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._modules: dict[str, Module | None] = {}
        self._constants: dict[ast.expr, Any] = {}

    def module(self, name: str) -> Module | None:
        """A module by its full name, None where the package has none of that name."""
        if name not in self._modules:
            base = self.root.joinpath(*name.split("."))
            path = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
            self._modules[name] = Module(self, name, path) if path.is_file() else None
        return self._modules[name]

    def constant(self, module: Module, node: ast.expr) -> Any:
        """The value of a module-level expression, UNKNOWN where it cannot be computed."""
        if node not in self._constants:
            self._constants[node] = UNKNOWN  # a definition in terms of itself ends here
            from key_reads import constant

            self._constants[node] = constant(module, node)
        return self._constants[node]
