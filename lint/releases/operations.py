"""The operations of the expressions that schemas/derive/expressions.py names, as Python has them.

Each fails as it fails in the loader: with TypeError, ValueError, AttributeError and so on.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable
from typing import Any


def _items(value: Any) -> Any:
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


def _split(value: Any, separator: str | None) -> list[str]:
    if not isinstance(value, str):
        raise AttributeError(f"'{type(value).__name__}' object has no attribute 'split'")
    return [part.strip() for part in value.split(separator)]


def _typed(value: Any, names: str) -> bool:
    types = {"str": str, "int": int, "float": float, "bool": bool, "list": list, "dict": dict}
    return isinstance(value, tuple(types[name] for name in names.split("|")))


def _get(value: Any, key: str, default: Any) -> Any:
    if not isinstance(value, dict):
        raise AttributeError(f"'{type(value).__name__}' object has no attribute 'get'")
    return value.get(key, default)


def _unprefixed(value: Any, prefix: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise AttributeError(f"'{type(value).__name__}' object has no attribute 'keys'")
    return {k.removeprefix(prefix) if isinstance(k, str) else k: v for k, v in value.items()}


def _path(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected str, bytes or os.PathLike object, not {type(value).__name__}")
    return value


def _starts(value: Any, prefix: str) -> bool:
    if not isinstance(value, str):
        raise AttributeError(f"'{type(value).__name__}' object has no attribute 'startswith'")
    return value.startswith(prefix)


def _ends(value: Any, suffix: str) -> bool:
    if not isinstance(value, str):
        raise AttributeError(f"'{type(value).__name__}' object has no attribute 'endswith'")
    return value.endswith(suffix)


def _seconds(value: Any) -> Any:
    if not isinstance(value, int | float):
        kind = type(value).__name__
        raise TypeError(f"unsupported type for timedelta seconds component: {kind}")
    if abs(value) > 86399999999999:
        raise OverflowError(f"{value} seconds are more than a time span can have")
    return value


def _seed(value: Any) -> Any:
    if not isinstance(value, int):
        raise TypeError(f"a seed is a whole number, not {type(value).__name__}")
    if not 0 <= value < 2**32:
        raise ValueError("Seed must be between 0 and 2**32 - 1")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value} must be a boolean")
    return value


def _config(value: Any) -> Any:
    if not isinstance(value, dict | str):
        kind = type(value).__name__
        raise TypeError(f"stat: path should be string, bytes, os.PathLike or integer, not {kind}")
    return value


def _plugin(value: Any) -> Any:
    if isinstance(value, str) and value.startswith("{"):
        value = json.loads(value)
    if value is not None and "name" not in value:
        raise ValueError("Plugin configuration must have a 'name' field.")
    return value


def _in(item: Any, values: Any) -> bool:
    return item in values


OPERATIONS: dict[str, Callable[..., Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "in": _in, "notin": lambda a, b: not _in(a, b),
    "is": lambda a, b: a is b or (a == b and type(a) is type(b)),
    "isnot": lambda a, b: not (a is b or (a == b and type(a) is type(b))),
    "+": operator.add, "-": operator.sub, "*": operator.mul, "%": operator.mod,
    "max": max, "min": min, "int": int, "float": float, "len": len,
    "list": lambda *items: list(items), "type": _typed, "items": _items, "split": _split,
    "floats": lambda values: [float(v) for v in values], "get": _get, "item": operator.getitem,
    "unprefixed": _unprefixed,
    "starts": _starts, "ends": _ends, "path": _path, "json": json.loads, "seconds": _seconds,
    "seed": _seed, "flag": _flag, "config": _config,
    "outside": lambda values, allowed: any(v not in allowed for v in values), "plugin": _plugin,
}  # fmt: skip
