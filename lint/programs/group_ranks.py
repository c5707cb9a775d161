"""How many ranks a list in a Python program holds, as far as the program says it outright."""

from __future__ import annotations

import ast
from collections import defaultdict

ALL = -1  # the size of a group of all ranks, however many they are
_DEPTH = 8
_COPIES = ("list", "tuple", "sorted", "set")


class Ranks:
    """The sizes of a program's lists of ranks; names that one assignment sets are followed."""

    def __init__(self, tree: ast.AST) -> None:
        self._tree = tree
        self._names: dict[str, ast.expr] | None = None

    def size(self, given: ast.expr | None) -> int | None:
        """How many ranks a `ranks` argument holds: `ALL` without one; None where that is open."""
        if given is None or (isinstance(given, ast.Constant) and given.value is None):
            return ALL
        return self._size(given, _DEPTH)

    def _size(self, node: ast.expr, depth: int) -> int | None:
        if depth == 0:
            return None
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            if len(node.elts) == 1 and isinstance(node.elts[0], ast.Starred):
                return self._size(node.elts[0].value, depth - 1)
            values = {e.value for e in node.elts if isinstance(e, ast.Constant)}
            return len(values) if len(values) == len(node.elts) else None
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self._comprehended(node, depth)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            if node.func.id in _COPIES and len(node.args) == 1:
                return self._size(node.args[0], depth - 1)
            if node.func.id == "range":
                return self._range(node.args, depth)
        held = self._held(node)
        return self._size(held, depth - 1) if held is not None else None

    def _comprehended(self, node: ast.ListComp | ast.GeneratorExp, depth: int) -> int | None:
        turns = node.generators[0]
        plain = isinstance(node.elt, ast.Name) and isinstance(turns.target, ast.Name)
        if len(node.generators) > 1 or turns.ifs or not plain:
            return None
        same = getattr(node.elt, "id", "") == getattr(turns.target, "id", None)
        return self._size(turns.iter, depth - 1) if same else None

    def _range(self, bounds: list[ast.expr], depth: int) -> int | None:
        numbers = [self._number(bound, depth) for bound in bounds]
        first = numbers[0] if len(numbers) == 2 else 0
        last = numbers[-1] if 0 < len(numbers) < 3 else None
        if first is None or first == ALL or last is None:
            return None
        if last == ALL:
            return ALL if first == 0 else None
        return max(0, last - first)

    def _number(self, node: ast.expr, depth: int) -> int | None:
        """A whole number, or `ALL` for the world size."""
        if depth == 0:
            return None
        if isinstance(node, ast.Constant):
            return node.value if type(node.value) is int and node.value >= 0 else None
        if _is_world_size(node):
            return ALL
        held = self._held(node)
        return self._number(held, depth - 1) if held is not None else None

    def _held(self, node: ast.expr) -> ast.expr | None:
        """What a name stands for, where the program sets it once."""
        if not isinstance(node, ast.Name):
            return None
        if self._names is None:
            self._names = _assigned_once(self._tree)
        return self._names.get(node.id)


def _is_world_size(node: ast.expr) -> bool:
    """Whether an expression is `dist.get_world_size()` or the number that WORLD_SIZE holds."""
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name == "get_world_size":
        return not node.args and not node.keywords
    if name != "int" or len(node.args) != 1:
        return False
    read = ast.unparse(node.args[0]).replace('"', "'")
    return "'WORLD_SIZE'" in read and ("environ" in read or "getenv" in read)


def _assigned_once(tree: ast.AST) -> dict[str, ast.expr]:
    """The names that one plain assignment sets and nothing else does, with what it gives them."""
    found: dict[str, ast.expr] = {}
    count: dict[str, int] = defaultdict(int)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            count[node.id] += 1
        elif isinstance(node, ast.arg):
            count[node.arg] += 2  # whoever calls gives it
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            for name in node.names:
                count[name] += 2
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name):
                found[target.id] = node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            found[node.target.id] = node.value
    return {name: value for name, value in found.items() if count[name] == 1}
