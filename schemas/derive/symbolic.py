"""Read what a loader's own checks refuse out of its source, as data.

`Reading` walks functions such as `__post_init__` symbolically: every key of the config is a symbol,
assignments replace symbols by expressions, branches become conditions. What comes out are

- checks: `{"when": condition, "error": exception, "says": message}`: the loader raises when the
  condition holds;
- attempts: `{"when": condition, "tries": expression}`: the loader evaluates this expression, and
  some values make that fail (an enum that lacks the value, a number where text is split); `error`
  and `says` tell how, where the loader has words of its own for a value that is no choice;
- `settled`: what a key holds once these functions have run, where that is not what was given.

Expressions are those of expressions.py. A check that can hold only if something unknown does is
dropped.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from expressions import (
    UNKNOWN,
    Expr,
    choose,
    compare,
    conjoin,
    disjoin,
    is_constant,
    is_unknown,
    may_fail,
    message,
    names_in,
    negate,
    operations,
    returns,
)
from package_source import MISSING, Names

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.In: "in", ast.NotIn: "notin", ast.Is: "is", ast.IsNot: "isnot",
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Mod: "%",
}  # fmt: skip


@dataclass
class Reading:
    """Checks read from functions.

    `keys` are the config's keys; `holders` the names under which functions hold the parsed values
    (`self`, `model_args`); `owner` the class whose methods `self` has. `assume` gives the value of
    calls by function name (`is_torch_available` -> True). `special` translates what is particular
    to a package: it gets a node and the reading and returns an expression, or MISSING.
    """

    names: Names
    keys: set[str]
    holders: set[str]
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    assume: dict[str, Expr] = field(default_factory=dict)
    special: Callable[[ast.AST, Reading], Expr] = lambda node, reading: MISSING
    base_keys: set[str] = field(default_factory=set)
    owner: str = ""
    values: dict[str, Expr] = field(default_factory=dict)
    checks: list[dict[str, Any]] = field(default_factory=list)
    bound: dict[str, Expr] = field(default_factory=dict)
    _local: dict[str, Expr] = field(default_factory=dict)

    def settled(self) -> dict[str, Expr]:
        """What keys hold at the end, where that is not what was given."""
        return {
            key: value
            for key, value in sorted(self.values.items())
            if key in self.keys and value not in (f"${key}", f"@{key}", UNKNOWN)
        }

    def used(self) -> dict[str, Expr]:
        """The bound expressions that checks and settled values need."""
        needed: dict[str, Expr] = {}
        queue: list[Any] = [self.checks, list(self.settled().values())]
        while queue:
            for name in names_in(queue.pop()):
                if name not in needed:
                    needed[name] = self.bound[name]
                    queue.append(self.bound[name])
        return needed

    def used_enums(self) -> set[str]:
        """The enums that the expressions name."""
        text = [self.checks, list(self.bound.values()), list(self.values.values())]
        return {e[2] for e in operations(text) if e[0] in ("enum", "enums")}

    # ---------------------------------------------------------------- functions and statements

    def method(self, owner: str, name: str) -> None:
        """Read a method of a dataclass."""
        node = self.names.method(owner, name)
        if node is not None:
            before, self.owner = self.owner, owner
            self._call(node, [])
            self.owner = before

    def function(self, name: str, when: Iterable[Expr] = (), **local: Expr) -> None:
        """Read a module-level function, under conditions, with what its parameters hold."""
        node = self.functions.get(name)
        if node is not None:
            self.read(node, when, **local)

    def read(self, node: ast.FunctionDef, when: Iterable[Expr] = (), **local: Expr) -> None:
        """Read a function of which the syntax tree is at hand."""
        self._call(node, list(when), local)

    def _call(
        self, node: ast.FunctionDef, when: list[Expr], local: dict[str, Expr] | None = None
    ) -> None:
        outer, self._local = self._local, dict(local or {})
        self._block(node.body, when)
        self._local = outer

    def _block(self, body: list[ast.stmt], when: list[Expr]) -> bool:
        """Read statements under conditions; whether control never leaves at the end."""
        when = list(when)
        for statement in body:
            if isinstance(statement, ast.Raise):
                self._refuse(when, statement.exc)
                return True
            if isinstance(statement, ast.Return | ast.Continue | ast.Break):
                if statement_value := getattr(statement, "value", None):
                    self._attempt(statement_value, when)
                return True
            if isinstance(statement, ast.If):
                if self._branch(statement, when):
                    return True
            else:
                self._plain(statement, when)
        return False

    def _branch(self, node: ast.If, when: list[Expr]) -> bool:
        test = self.expression(node.test)
        if is_constant(test):
            return self._block(node.body if test else node.orelse, when)
        before, before_local = dict(self.values), dict(self._local)
        ended = self._block(node.body, [*when, test])
        then, then_local = self.values, self._local
        self.values, self._local = dict(before), dict(before_local)
        else_ended = self._block(node.orelse, [*when, negate(test)])
        if not ended:
            if else_ended:
                self.values, self._local = then, then_local
            else:
                self.values = self._merge(test, then, self.values, self._unset)
                self._local = self._merge(test, then_local, self._local, lambda key: UNKNOWN)
        if ended and not else_ended and returns(node.body):
            when.append(negate(test))
        elif else_ended and not ended and returns(node.orelse):
            when.append(test)
        return ended and else_ended

    def _merge(
        self,
        test: Expr,
        then: dict[str, Expr],
        other: dict[str, Expr],
        unset: Callable[[str], Expr],
    ) -> dict[str, Expr]:
        merged = {}
        for key in {**then, **other}:
            a, b = (side[key] if key in side else unset(key) for side in (then, other))
            merged[key] = self._bind(key, choose(test, a, b))
        return merged

    def _bind(self, name: str, value: Expr) -> Expr:
        """Give an operation a name, so that what uses it need not repeat it."""
        if not isinstance(value, list) or value == UNKNOWN or value[0] == "list":
            return value
        for known, expression in self.bound.items():
            if expression == value and known.rpartition(".")[0] == name:
                return f"#{known}"
        number = 1
        while f"{name}.{number}" in self.bound:
            number += 1
        self.bound[f"{name}.{number}"] = value
        return f"#{name}.{number}"

    def _plain(self, node: ast.stmt, when: list[Expr]) -> None:
        if isinstance(node, ast.Assert):
            self._refuse([*when, negate(self.expression(node.test))], node.msg, "AssertionError")
        elif isinstance(node, ast.With):
            self._block(node.body, when)
        elif isinstance(node, ast.Try):
            self._block(node.body, when)
            for handler in node.handlers:
                self._block(handler.body, [*when, UNKNOWN])
        elif isinstance(node, ast.For | ast.While):
            self._loop(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            value = self._attempt(node.value, when)
            if isinstance(node.value, ast.Call):
                self._inline(node.value, when)
            for target in targets:
                self._assign(target, value)
        elif isinstance(node, ast.AugAssign):
            operator = ARITHMETIC.get(type(node.op))
            old, value = self.expression(node.target), self.expression(node.value)
            made = [operator, old, value] if operator else UNKNOWN
            self._try(made, when)
            self._assign(node.target, made)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            special = self.special(node.value, self)
            if special is MISSING:
                self._inline(node.value, when)
            else:
                self._try(special, when)

    def _loop(self, node: ast.For | ast.While) -> None:
        if isinstance(node, ast.For) and self.special(node, self) is not MISSING:
            return
        self._block(node.body, [UNKNOWN])
        for inner in ast.walk(node):
            if isinstance(inner, ast.Assign):
                for target in inner.targets:
                    self._assign(target, UNKNOWN)

    def _inline(self, call: ast.Call, when: list[Expr]) -> None:
        function = call.func
        if isinstance(function, ast.Name) and function.id in self.functions:
            called = self.functions[function.id]
            names = {a.arg for a in called.args.args}
            # parameters go by the same names from function to function
            self._call(called, when, {k: v for k, v in self._local.items() if k in names})
        elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            owner = function.value.id
            if owner == "self":
                node = self.names.method(self.owner, function.attr)
            elif owner in self.names.classes:
                node = self.names.method(owner, function.attr)
            else:
                node = None
            if node is not None:
                self._call(node, when)

    def _assign(self, target: ast.expr, value: Expr) -> None:
        if isinstance(target, ast.Name):
            self._local[target.id] = self._bind(target.id, value)
        elif (name := self._held(target)) is not None:
            self.values[name] = self._bind(name, value)
        elif isinstance(target, ast.Subscript) and (name := self._held(target.value)) is not None:
            key = self.names.fold(target.slice)
            if isinstance(key, str):
                self.values[f"{name}.{key}"] = self._bind(f"{name}.{key}", value)
            else:
                self.values[name] = UNKNOWN

    def _attempt(self, node: ast.expr, when: list[Expr]) -> Expr:
        value = self.expression(node)
        self._try(value, when)
        return value

    def _try(self, value: Expr, when: list[Expr]) -> None:
        if may_fail(value) and not any(is_unknown(c) for c in when):
            self._note({"tries": value}, when)

    def _refuse(self, when: list[Expr], exc: ast.expr | None, error: str = "") -> None:
        if isinstance(exc, ast.Call):
            error = error or ast.unparse(exc.func)
            exc = exc.args[0] if exc.args else None
        self._note({"error": error or "Exception", "says": message(exc)}, when)

    def _note(self, check: dict[str, Any], when: list[Expr]) -> None:
        condition = conjoin(when)
        if condition is False or is_unknown(condition):
            return
        if condition is not True:
            check = {"when": condition, **check}
        if check not in self.checks:
            self.checks.append(check)

    # ---------------------------------------------------------------- expressions

    def _held(self, node: ast.expr) -> str | None:
        """The name of a value that a holder object has: `training_args.fp16` -> "fp16"."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return node.attr if node.value.id in self.holders else None
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "getattr"
            and isinstance(node.args[0], ast.Name)
            and node.args[0].id in self.holders
        ):
            name = self.names.fold(node.args[1])
            return name if isinstance(name, str) else None
        return None

    def _unset(self, name: str) -> Expr:
        """What a key holds that nothing has assigned yet."""
        key, _, inner = name.partition(".")
        if inner:
            return [
                "get",
                self._unset(key) if key not in self.values else self.values[key],
                inner,
                None,
            ]
        if name in self.base_keys:
            return f"@{name}"
        return f"${name}" if name in self.keys else UNKNOWN

    def expression(self, node: ast.expr) -> Expr:
        """An expression of the source as data."""
        special = self.special(node, self)
        if special is not MISSING:
            return special
        name = self._held(node)
        if name is not None:
            if name in self.values:
                return self.values[name]
            if name in self.assume:
                return self.assume[name]
            if isinstance(node, ast.Call) and name not in self.keys and len(node.args) == 3:
                return self.expression(node.args[2])
            return self._unset(name)
        folded = self.names.fold(node, self._local)
        if folded is not MISSING and not (isinstance(node, ast.Name) and node.id in self._local):
            return ["list", *folded] if isinstance(folded, list) else folded
        if isinstance(node, ast.Name):
            return self._local.get(node.id, UNKNOWN)
        if isinstance(node, ast.BoolOp):
            join = conjoin if isinstance(node.op, ast.And) else disjoin
            return join([self.expression(v) for v in node.values])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return negate(self.expression(node.operand))
        if isinstance(node, ast.Compare):
            return self._compare(node)
        if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            return [
                ARITHMETIC[type(node.op)],
                self.expression(node.left),
                self.expression(node.right),
            ]
        if isinstance(node, ast.IfExp):
            test = self.expression(node.test)
            return choose(test, self.expression(node.body), self.expression(node.orelse))
        if isinstance(node, ast.List | ast.Tuple):
            return ["list", *(self.expression(item) for item in node.elts)]
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, ast.ListComp):
            return self._comprehension(node)
        if isinstance(node, ast.Dict) and not node.keys:
            return {}
        if isinstance(node, ast.Attribute) and node.attr == "value":
            return self.expression(node.value)
        if isinstance(node, ast.Call):
            return self._called(node)
        return UNKNOWN

    def _compare(self, node: ast.Compare) -> Expr:
        parts, left = [], self.expression(node.left)
        for operator, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.expression(right_node)
            parts.append(compare(COMPARISONS[type(operator)], left, right))
            left = right
        return conjoin(parts)

    def _subscript(self, node: ast.Subscript) -> Expr:
        name, key = self._held(node.value), self.names.fold(node.slice)
        if isinstance(key, int):
            return ["item", self.expression(node.value), key]
        if name is None or not isinstance(key, str):
            return UNKNOWN
        if f"{name}.{key}" in self.values:
            return self.values[f"{name}.{key}"]
        return ["get", self.expression(node.value), key, None]

    def _comprehension(self, node: ast.ListComp) -> Expr:
        over, item = node.generators[0].iter, node.elt
        if isinstance(over, ast.Name) and over.id in self.names.enums:
            return ["list", *self.names.enums[over.id].values()]
        source = self.expression(over)
        if isinstance(item, ast.Call) and isinstance(item.func, ast.Name):
            values = self.names.enums.get(item.func.id)
            if values:
                return ["enums", source, item.func.id]
        return source if ast.unparse(item).endswith(".strip()") else UNKNOWN

    def _called(self, node: ast.Call) -> Expr:
        function = node.func
        first = node.args[0] if node.args else None
        if isinstance(function, ast.Attribute):
            return self._called_method(node, function)
        if not isinstance(function, ast.Name):
            return UNKNOWN
        name = function.id
        if name in self.assume:
            return self.assume[name]
        if first is None:
            return UNKNOWN
        if name in self.names.enums:
            return ["enum", self.expression(first), name]
        if name == "isinstance":
            types = ast.unparse(node.args[1]).strip("()").replace(" ", "").replace(",", "|")
            known = set(types.split("|")) <= {"str", "int", "float", "bool", "list", "dict"}
            value = self.expression(first)
            return UNKNOWN if value == UNKNOWN else ["type", value, types] if known else False
        if name in ("int", "float", "len"):
            return [name, self.expression(first)]
        if name in ("max", "min") and len(node.args) == 2:
            return [name, *(self.expression(a) for a in node.args)]
        if name == "str":
            return self.expression(first)
        if isinstance(first, ast.Call) and ast.unparse(node).startswith("list(map(float, "):
            return ["floats", self.expression(first.args[1])]
        if name == "any" and isinstance(first, ast.GeneratorExp):
            return self._any(first)
        return UNKNOWN

    def _any(self, node: ast.GeneratorExp) -> Expr:
        test = node.elt
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotIn):
            allowed = self.names.fold(test.comparators[0])
            if isinstance(allowed, list):
                return ["outside", self.expression(node.generators[0].iter), ["list", *allowed]]
        return UNKNOWN

    def _called_method(self, node: ast.Call, function: ast.Attribute) -> Expr:
        arguments = [self.names.fold(a) for a in node.args]
        value = self.expression(function.value)
        if function.attr == "get" and isinstance(arguments[0], str):
            held = self._held(function.value)
            if held is not None and f"{held}.{arguments[0]}" in self.values:
                return self.values[f"{held}.{arguments[0]}"]
            default = self.expression(node.args[1]) if len(node.args) > 1 else None
            return ["get", value, arguments[0], default]
        if function.attr == "split":
            return ["split", value, arguments[0] if arguments else None]
        if function.attr in ("startswith", "endswith") and isinstance(arguments[0], str):
            return [function.attr[:-4], value, arguments[0]]
        if function.attr == "expanduser" and node.args:
            return ["path", self.expression(node.args[0])]
        return UNKNOWN
