"""Expressions over the keys of a config, as JSON, and how to put them together.

`"$key"` is the value of a key as given (its default where it is absent), `"@key"` its value once
the base class has settled it, `"#name"` a bound expression; any other text, number, boolean or
null is itself, `{}` an empty mapping; `[operator, operand...]` is an operation, named in
OPERATORS. `["?"]` is something the file does not show.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

Expr = Any
UNKNOWN: Expr = ["?"]

OPERATORS = """
and or not if        as in Python, left to right
== != < <= > >= in notin is isnot    comparisons; a mix of types that Python refuses is a failure
+ - * % max min int float len    arithmetic
list                  its operands as a list
type                  whether operand 1 is of one of the types named in operand 2, joined by |
enum                  operand 1, which must be a value of the enum that operand 2 names
enums                 each item of operand 1, which must be a value of that enum
items                 operand 1 split at commas and stripped if it is text, itself else
split                 operand 1, which must be text, split at operand 2 (null: at blanks)
floats                each item of operand 1 as a number
get                   operand 1, a mapping, at operand 2, else operand 3
item                  operand 1, a list, at the index in operand 2
unprefixed            operand 1, a mapping, without the prefix in operand 2 of its keys
starts ends           text operand 1 starts, ends with operand 2
path                  operand 1, which must be text
plugin                operand 1: null, or a mapping (or its JSON text) with the key `name`
json                  operand 1, text that must be JSON
seed                  operand 1, which must be a seed for random numbers
flag                  operand 1, which must be true or false
config                operand 1, which must be a mapping or text
seconds               operand 1, a number that must fit a time span
outside               whether any item of operand 1 is not in the list in operand 2
context               something about the run: zero3, fsdp, parallel_mode, env:NAME, exists:KEY
"""

FAILING = (
    "plugin", "enum", "enums", "split", "floats", "json", "seconds", "path", "seed", "flag",
    "config", "ends", "starts", "*", "-", "int",
)  # fmt: skip
"""Operators whose failure is itself a refusal."""


def returns(body: list[ast.stmt]) -> bool:
    """Whether a block that ends, ends without an exception."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return returns(last.body) or returns(last.orelse)
    return not isinstance(last, ast.Raise)


def choose(test: Expr, a: Expr, b: Expr) -> Expr:
    """`a if test else b`, simplified."""
    if a == b or (is_constant(test) and test):
        return a
    if is_constant(test):
        return b
    return ["if", test, a, b]


def negate(e: Expr) -> Expr:
    """`not e`, simplified."""
    if is_constant(e):
        return not e
    opposite = {"==": "!=", "!=": "==", "in": "notin", "notin": "in", "is": "isnot", "isnot": "is"}
    if isinstance(e, list) and e[0] == "not":
        return e[1]
    if isinstance(e, list) and e[0] in opposite:
        return [opposite[e[0]], *e[1:]]
    return UNKNOWN if e == UNKNOWN else ["not", e]


def conjoin(parts: list[Expr]) -> Expr:
    """`and` of all, simplified; False as soon as one part is."""
    flat: list[Expr] = []
    for part in parts:
        for item in part[1:] if isinstance(part, list) and part[:1] == ["and"] else [part]:
            if is_constant(item):
                if not item:
                    return False
            elif item not in flat:
                flat.append(item)
    return True if not flat else flat[0] if len(flat) == 1 else ["and", *flat]


def disjoin(parts: list[Expr]) -> Expr:
    """`or` of all, simplified."""
    flat: list[Expr] = []
    for part in parts:
        if is_constant(part):
            if part:
                return True
        elif part not in flat:
            flat.append(part)
    return False if not flat else flat[0] if len(flat) == 1 else ["or", *flat]


def compare(operator: str, left: Expr, right: Expr) -> Expr:
    """A comparison, folded where both sides are constants."""
    if UNKNOWN in (left, right):
        return UNKNOWN
    if is_constant(left) and operator in ("is", "==", "isnot", "!="):
        if not is_constant(right):
            return [operator, right, left]
        return (left == right) == (operator in ("is", "=="))
    if is_constant(left) and operator in ("in", "notin") and is_constant_list(right):
        return (left in right[1:]) == (operator == "in")
    return [operator, left, right]


def is_constant(e: Expr) -> bool:
    """Whether an expression is a plain value."""
    return not isinstance(e, list | dict) and not (isinstance(e, str) and e[:1] in ("$", "@", "#"))


def is_constant_list(e: Expr) -> bool:
    """Whether an expression is a list of plain values."""
    return isinstance(e, list) and e[0] == "list" and all(is_constant(item) for item in e[1:])


def is_unknown(e: Expr) -> bool:
    """Whether a condition can hold only if something unknown does."""
    if not isinstance(e, list) or not e:
        return False
    if e == UNKNOWN:
        return True
    if e[0] == "or":
        return all(is_unknown(part) for part in e[1:])
    if e[0] == "if":
        return is_unknown(e[1])
    return any(is_unknown(part) for part in e[1:])


def operations(value: Any) -> Iterator[list[Any]]:
    """Every operation inside some data."""
    if isinstance(value, list) and value and isinstance(value[0], str):
        yield value
    if isinstance(value, list | dict):
        for part in value if isinstance(value, list) else value.values():
            yield from operations(part)


def names_in(value: Any) -> Iterator[str]:
    """Every bound name inside some data."""
    if isinstance(value, str) and value.startswith("#"):
        yield value[1:]
    elif isinstance(value, list | dict):
        for part in value if isinstance(value, list) else value.values():
            yield from names_in(part)


def may_fail(e: Expr) -> bool:
    if not isinstance(e, list) or not e or UNKNOWN in e or e == UNKNOWN:
        return False
    return e[0] in FAILING or any(may_fail(part) for part in e[1:])


def message(node: ast.expr | None) -> str:
    """The fixed words of an error message, `{}` where a value is filled in."""
    if node is None:
        return ""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(v.value) if isinstance(v, ast.Constant) else "{}" for v in node.values)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return message(node.func.value)
    return ""
