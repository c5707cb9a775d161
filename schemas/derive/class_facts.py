"""What the classes of a package are: bases, methods, enum members, pydantic fields."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from code_values import UNKNOWN, Class, ModelField, Module

MODEL_BASES = ("BaseModel", "DeepSpeedConfigModel", "pydantic.BaseModel")


def bases(cls: Class) -> Iterator[Class]:
    """A class and its known bases."""
    yield cls
    for base in cls.node.bases:
        name = base.id if isinstance(base, ast.Name) else ""
        found = cls.module.lookup(name) if name else UNKNOWN
        if isinstance(found, Class):
            yield from bases(found)


def is_model(cls: Class) -> bool:
    """Whether a class is a pydantic model."""
    return any(ast.unparse(b) in MODEL_BASES for c in bases(cls) for b in c.node.bases)


def find_method(cls: Class, name: str) -> tuple[Module, ast.FunctionDef] | None:
    """A method and the module it stands in."""
    for one in bases(cls):
        for statement in one.node.body:
            if isinstance(statement, ast.FunctionDef) and statement.name == name:
                return one.module, statement
    return None


def enum_members(cls: Class) -> dict[str, Any]:
    """The members of an Enum class: a value, or a list of values that all mean it."""
    if any(ast.unparse(b).rpartition(".")[2] == "Enum" for c in bases(cls) for b in c.node.bases):
        return class_constants(cls)
    return {}


def class_constants(cls: Class) -> dict[str, Any]:
    """The names that a class body gives a value."""
    module = cls.module
    return {
        statement.targets[0].id: module.package.constant(module, statement.value)
        for statement in cls.node.body
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
    }


def fields(cls: Class) -> list[ModelField]:
    """The fields of a pydantic model, inherited ones included."""
    found: dict[str, ModelField] = {}
    for one in bases(cls):
        for statement in one.node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                made = _model_field(one, statement)
                found.setdefault(statement.target.id, made)
    return list(found.values())


def _model_field(cls: Class, statement: ast.AnnAssign) -> ModelField:
    assert isinstance(statement.target, ast.Name)
    module = cls.module
    name, value = statement.target.id, statement.value
    options: dict[str, Any] = {}
    default: Any = UNKNOWN
    if isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] == "Field":
        if value.args:
            default = module.package.constant(module, value.args[0])
        options = {k.arg: module.package.constant(module, k.value) for k in value.keywords if k.arg}
        default = options.get("default", default)
        extra = options.get("json_schema_extra")
        if isinstance(extra, dict):
            options |= extra
    elif value is not None:
        default = module.package.constant(module, value)
    words = {"ge": "min", "gt": "above", "le": "max", "lt": "below"}
    bounds = {new: options[old] for old, new in words.items() if old in options}
    alias = options.get("alias")
    names = [alias, name] if isinstance(alias, str) else [name]
    model = _nested_model(cls.module, statement.annotation)
    return ModelField(names, statement.annotation, default, bounds, options, model, cls.module)


def _nested_model(module: Module, annotation: ast.expr) -> Class | None:
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name):
            found = module.lookup(node.id)
            if isinstance(found, Class) and is_model(found):
                return found
    return None
