"""Find the keys that a program reads from its configuration, without running it.

`KeyReads` follows a configuration dict through a package's functions: it evaluates what it can
(constants, imports, dict look-ups, calls within the package), takes both branches of every test,
and writes down each key that is asked for, with its default, the values it is compared with where
the function refuses others, and the pydantic model a section is given to.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import Any

from class_facts import class_constants, enum_members, fields, find_method, is_model
from code_values import UNKNOWN, AnyKey, Class, Function, Key, Module, Object, Package, Read

CONVERTERS = {"int": "int", "float": "number", "bool": "bool", "str": "str"}
DEEPEST = 40


class Scope:
    """The names of one function at work; each may stand for several values."""

    def __init__(self, module: Module, names: dict[str, list[Any]] | None = None) -> None:
        self.module = module
        self.names = names or {}
        self.returned: list[Any] = []
        self.branches = 0
        self.refuses = False

    def get(self, name: str) -> list[Any]:
        if name in self.names:
            return self.names[name]
        builtin = {"True": True, "False": False, "None": None}
        return [builtin[name]] if name in builtin else [self.module.lookup(name)]

    def put(self, name: str, values: list[Any]) -> None:
        before = self.names.get(name, []) if self.branches else []
        self.names[name] = _distinct([*before, *values])


class KeyReads:
    """The reads of one configuration: `keys` by path, `models` by the section given to them."""

    def __init__(self, package: Package) -> None:
        self.package = package
        self.keys: dict[str, Key] = {}
        self.sections: set[str] = set()
        self.models: dict[str, Class] = {}
        self._calls: set[tuple[Any, ...]] = set()
        self._depth = 0

    # ------------------------------------------------------------ what is written down

    def _section(self, value: Read) -> None:
        self.sections.add(value.path)

    def _read(self, section: Read, names: list[Any], default: list[Any] | None = None) -> list[Any]:
        self._section(section)
        found: list[Any] = []
        for name in names:
            if not isinstance(name, str):
                found.append(UNKNOWN)
                continue
            made = section.key(name)
            key = self.keys.setdefault(made.path, Key())
            for value in default or []:
                if value not in key.defaults and value is not UNKNOWN:
                    key.defaults.append(value)
            found.append(made)
        return found

    def _model(self, value: Read, model: Class) -> None:
        self.models[value.path] = model
        self._section(value)
        for one in fields(model):
            if one.model:
                self._model(value.key(one.names[0]), one.model)

    # ------------------------------------------------------------ statements

    def call(self, function: Function, arguments: list[list[Any]],
             keywords: dict[str, list[Any]] | None = None) -> list[Any]:  # fmt: skip
        """Follow a call; what it may return."""
        spec = function.node.args
        names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
        if function.owner is not None:
            arguments = [[function.owner], *arguments]
        scope = Scope(function.module)
        defaults = dict(zip(names[::-1], spec.defaults[::-1], strict=False))
        for i, name in enumerate(names):
            if i < len(arguments):
                scope.names[name] = arguments[i]
            elif keywords and name in keywords:
                scope.names[name] = keywords[name]
            elif name in defaults:
                scope.names[name] = self.evaluate(defaults[name], Scope(function.module))
            else:
                scope.names[name] = [UNKNOWN]
        mark = (id(function.node), id(function.owner), repr(scope.names))
        if self._depth > DEEPEST or mark in self._calls:
            return [UNKNOWN]
        self._calls.add(mark)
        self._depth += 1
        scope.refuses = any(isinstance(n, ast.Raise | ast.Assert) for n in ast.walk(function.node))
        self.run(function.node.body, scope)
        self._depth -= 1
        self._calls.discard(mark)
        return _distinct(scope.returned) or [None]

    def run(self, body: list[ast.stmt], scope: Scope) -> None:
        for statement in body:
            self._statement(statement, scope)

    def _statement(self, node: ast.stmt, scope: Scope) -> None:
        if isinstance(node, ast.Assign):
            values = self.evaluate(node.value, scope)
            for target in node.targets:
                self._assign(target, values, scope)
        elif isinstance(node, ast.Return):
            scope.returned += self.evaluate(node.value, scope) if node.value else [None]
        elif isinstance(node, ast.If):
            self._test(node, scope)
        elif isinstance(node, ast.For):
            for values in self._items(node.iter, scope):
                for name in _names(node.target):
                    scope.names.pop(name, None)
                self._assign(node.target, values, scope)
                self._branch(node.body, scope)
        elif isinstance(node, ast.Try):
            self.run(node.body, scope)
            for handler in node.handlers:
                self._branch(handler.body, scope)
            self._branch(node.orelse, scope)
        elif isinstance(node, ast.With | ast.While):
            self._branch(node.body, scope)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node, scope)
        else:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.evaluate(child, scope)

    def _branch(self, body: list[ast.stmt], scope: Scope) -> None:
        scope.branches += 1
        self.run(body, scope)
        scope.branches -= 1

    def _test(self, node: ast.If, scope: Scope) -> None:
        self.evaluate(node.test, scope)
        raises = bool(node.body) and isinstance(node.body[0], ast.Raise)
        if raises and isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], ast.In):
            for section in self.evaluate(node.test.comparators[0], scope):
                for name in self.evaluate(node.test.left, scope):
                    if isinstance(section, Read) and isinstance(name, str):
                        self.keys[section.key(name).path].refused = True
        self._branch(node.body, scope)
        self._branch(node.orelse, scope)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        for alias in node.names:
            name = alias.asname or alias.name
            if isinstance(node, ast.ImportFrom) and alias.name != "*":
                scope.names[name] = [scope.module.imported(node, name)]
            else:
                scope.names[name.partition(".")[0]] = [("module", name)]

    def _assign(self, target: ast.expr, values: list[Any], scope: Scope) -> None:
        if isinstance(target, ast.Name):
            scope.put(target.id, values)
        elif isinstance(target, ast.Tuple | ast.List):
            for i, item in enumerate(target.elts):
                parts = [v[i] for v in values if isinstance(v, tuple | list) and i < len(v)]
                self._assign(item, parts or [UNKNOWN], scope)
        elif isinstance(target, ast.Attribute):
            for owner in self.evaluate(target.value, scope):
                if isinstance(owner, Object):
                    before = owner.attributes.get(target.attr, [])
                    owner.attributes[target.attr] = _distinct([*before, *values])
        elif isinstance(target, ast.Subscript):
            names = self.evaluate(target.slice, scope)
            for owner in self.evaluate(target.value, scope):
                if not isinstance(owner, dict) or not names:
                    continue
                if isinstance(names[0], AnyKey):  # a dict of defaults that the section overrides
                    for name, default in owner.items():
                        self._read(names[0].section, [name], [default])
                elif isinstance(names[0], str):
                    owner[names[0]] = values[0] if values else UNKNOWN

    def _items(self, node: ast.expr, scope: Scope) -> Iterator[list[Any]]:
        """The values of each round of a loop."""
        for value in self.evaluate(node, scope):
            if isinstance(value, AnyKey):
                yield [(value, UNKNOWN)]
            elif isinstance(value, dict | list | tuple | set):
                for item in list(value):
                    yield [item]
            else:
                yield [UNKNOWN]

    # ------------------------------------------------------------ expressions

    def evaluate(self, node: ast.expr | None, scope: Scope) -> list[Any]:
        """What an expression may be."""
        if node is None:
            return [None]
        method = getattr(self, f"_on_{type(node).__name__.lower()}", None)
        if method is not None:
            return _distinct(method(node, scope))
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.evaluate(child, scope)
        return [UNKNOWN]

    def _one(self, node: ast.expr | None, scope: Scope) -> Any:
        values = self.evaluate(node, scope)
        folded = [v for v in values if isinstance(v, Read) and v.folded]
        return (folded or values or [UNKNOWN])[0]

    def _on_constant(self, node: ast.Constant, scope: Scope) -> list[Any]:
        return [node.value]

    def _on_name(self, node: ast.Name, scope: Scope) -> list[Any]:
        return scope.get(node.id)

    def _on_attribute(self, node: ast.Attribute, scope: Scope) -> list[Any]:
        found: list[Any] = []
        for owner in self.evaluate(node.value, scope):
            if isinstance(owner, Object):
                method = find_method(owner.cls, node.attr)
                default = [Function(*method, owner)] if method else [UNKNOWN]
                found += owner.attributes.get(node.attr, default)
            elif isinstance(owner, Class):
                found.append(class_constants(owner).get(node.attr, UNKNOWN))
            elif owner == ("module", "sys") and node.attr == "maxsize":
                found.append(sys.maxsize)
            elif node.attr == "value":
                found.append(owner)
            else:
                found.append(UNKNOWN)
        return found

    def _on_subscript(self, node: ast.Subscript, scope: Scope) -> list[Any]:
        names = self.evaluate(node.slice, scope)
        found: list[Any] = []
        for owner in self.evaluate(node.value, scope):
            if isinstance(owner, Read):
                found += self._read(owner, names)
            elif isinstance(owner, dict | list | tuple):
                try:
                    found.append(owner[names[0]])
                except (LookupError, TypeError):
                    found.append(UNKNOWN)
        return found or [UNKNOWN]

    def _on_dict(self, node: ast.Dict, scope: Scope) -> list[Any]:
        made: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            name = self._one(key, scope) if key else UNKNOWN
            held = self._one(value, scope)
            if isinstance(name, str | int | bool) or name is None:
                made[name] = held
        return [made]

    def _on_dictcomp(self, node: ast.DictComp, scope: Scope) -> list[Any]:
        made: dict[Any, Any] = {}
        for values in self._items(node.generators[0].iter, scope):
            self._assign(node.generators[0].target, values, scope)
            name, held = self._one(node.key, scope), self._one(node.value, scope)
            if isinstance(name, str):
                made[name] = held
        return [made]

    def _on_list(self, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> list[Any]:
        return [[self._one(item, scope) for item in node.elts]]

    _on_tuple = _on_list
    _on_set = _on_list

    def _on_ifexp(self, node: ast.IfExp, scope: Scope) -> list[Any]:
        self.evaluate(node.test, scope)
        return self.evaluate(node.body, scope) + self.evaluate(node.orelse, scope)

    def _on_boolop(self, node: ast.BoolOp, scope: Scope) -> list[Any]:
        return [v for part in node.values for v in self.evaluate(part, scope)]

    def _on_joinedstr(self, node: ast.JoinedStr, scope: Scope) -> list[Any]:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.evaluate(part.value, scope)
        return [UNKNOWN]

    def _on_unaryop(self, node: ast.UnaryOp, scope: Scope) -> list[Any]:
        value = self._one(node.operand, scope)
        if isinstance(node.op, ast.USub) and isinstance(value, int | float):
            return [-value]
        return [UNKNOWN]

    def _on_binop(self, node: ast.BinOp, scope: Scope) -> list[Any]:
        left, right = self._one(node.left, scope), self._one(node.right, scope)
        if isinstance(left, int | float) and isinstance(right, int | float):
            if isinstance(node.op, ast.Mult):
                return [left * right]
            if isinstance(node.op, ast.Pow):
                return [left**right]
        return [UNKNOWN]

    def _on_compare(self, node: ast.Compare, scope: Scope) -> list[Any]:
        left = self.evaluate(node.left, scope)
        for operator, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.evaluate(comparator, scope)
            for one in left:
                for other in right:
                    self._compare(operator, one, other, scope)
        return [UNKNOWN]

    def _compare(self, operator: ast.cmpop, left: Any, right: Any, scope: Scope) -> None:
        inside = isinstance(operator, ast.In | ast.NotIn)
        if inside and isinstance(right, Read) and isinstance(left, str):
            self._read(right, [left])
        elif isinstance(left, Read) and right is None and left.path in self.keys:
            self.keys[left.path].nullable = True
        elif isinstance(left, Read) and scope.refuses and left.path in self.keys:
            if inside and isinstance(right, list | dict):
                allowed = list(right)
            elif isinstance(operator, ast.Eq | ast.NotEq):
                allowed = [right]
            else:
                return
            key = self.keys[left.path]
            key.folded |= left.folded
            words = (a for a in allowed if isinstance(a, str | bool))
            key.compared += [a for a in words if a not in key.compared]

    # ------------------------------------------------------------ calls

    def _on_call(self, node: ast.Call, scope: Scope) -> list[Any]:
        arguments = [self.evaluate(a, scope) for a in node.args]
        keywords = {k.arg: self.evaluate(k.value, scope) for k in node.keywords if k.arg}
        spread = [v for k in node.keywords if not k.arg for v in self.evaluate(k.value, scope)]
        if isinstance(node.func, ast.Attribute):
            owners = self.evaluate(node.func.value, scope)
            simple = [o for o in owners if not isinstance(o, Object)]
            found = [v for o in simple for v in self._method(o, node.func.attr, arguments)]
            if len(simple) == len(owners):
                return found
        else:
            found = []
        if isinstance(node.func, ast.Name) and node.func.id in CONVERTERS and arguments:
            return self._converted(CONVERTERS[node.func.id], arguments[0])
        for target in self.evaluate(node.func, scope):
            if isinstance(target, Function):
                found += self.call(target, arguments, keywords)
            elif isinstance(target, Class):
                found += self.construct(target, arguments, keywords, spread)
            else:
                found.append(UNKNOWN)
        return found

    def _method(self, owner: Any, name: str, arguments: list[list[Any]]) -> list[Any]:
        first = arguments[0] if arguments else []
        if isinstance(owner, Read):
            if name in ("get", "pop"):
                default = arguments[1] if len(arguments) > 1 else [None]
                fresh = [dict(d) for d in default if isinstance(d, dict)]
                return [*self._read(owner, first, default), *fresh]
            if name in ("keys", "items", "values"):
                self._section(owner)
                return [{"keys": owner, "items": AnyKey(owner)}.get(name, UNKNOWN)]
            if name in ("lower", "upper"):
                return [Read(owner.path, folded=True)]
        if isinstance(owner, dict):
            if name == "items":
                return [[(k, v) for k, v in owner.items()]]
            if name == "keys":
                return [list(owner)]
            if name == "get" and first and isinstance(first[0], str):
                return [owner.get(first[0], UNKNOWN)]
        if isinstance(owner, str) and name in ("lower", "upper"):
            return [getattr(owner, name)()]
        if owner == ("module", "copy") and name in ("copy", "deepcopy"):
            return [dict(one) if isinstance(one, dict) else one for one in first]
        return [UNKNOWN]

    def _converted(self, kind: str, values: list[Any]) -> list[Any]:
        for value in values:
            if isinstance(value, Read) and value.path in self.keys:
                types = self.keys[value.path].types
                if kind not in types:
                    types.append(kind)
        return values

    def _chosen(self, values: list[Any], members: dict[str, Any]) -> None:
        allowed = [v for m in members.values() for v in (m if isinstance(m, list) else [m])]
        for value in values:
            if isinstance(value, Read) and value.path in self.keys:
                key = self.keys[value.path]
                key.compared += [a for a in allowed if isinstance(a, str) and a not in key.compared]

    def construct(
        self,
        cls: Class,
        arguments: list[list[Any]],
        keywords: dict[str, list[Any]],
        spread: list[Any],
    ) -> list[Any]:
        if cls.node.name == "pp_int":
            return [int(arguments[0][0])] if isinstance(arguments[0][0], int | float) else [UNKNOWN]
        if is_model(cls):
            for value in spread:
                if isinstance(value, Read):
                    self._model(value, cls)
                elif isinstance(value, dict):
                    models = {one.names[0]: one.model for one in fields(cls)}
                    for name, held in value.items():
                        model = models.get(name)
                        if isinstance(held, Read) and model:
                            self._model(held, model)
            return [UNKNOWN]
        members = enum_members(cls)
        if members and arguments:
            self._chosen(arguments[0], members)
            return arguments[0]
        made = Object(cls)
        given = [v for values in (*arguments, *keywords.values()) for v in values]
        method = find_method(cls, "__init__")
        if method and any(isinstance(v, Read | dict) for v in given):
            self.call(Function(*method, made), arguments, keywords)
            return [made]
        return [UNKNOWN]


def constant(module: Module, node: ast.expr) -> Any:
    """What an expression of a module stands for, UNKNOWN where it cannot be told."""
    return KeyReads(module.package)._one(node, Scope(module))


def _names(target: ast.expr) -> Iterator[str]:
    return (n.id for n in ast.walk(target) if isinstance(n, ast.Name))


def _distinct(values: list[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        same = (v for v in found if v is value or (type(v) is type(value) and v == value))
        if not any(True for _ in same):
            found.append(value)
    return found
