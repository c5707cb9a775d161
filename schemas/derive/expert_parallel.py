"""What DeepSpeed's `expert_parallel` section takes: AutoEP checks it when the engine is built.

The section is copied into an object of its own and validated much later, in
module_inject/auto_ep_config.py: `validate_autoep_config` compares each value with a tuple of words
or a smallest number before it raises. Nothing of this is looked at unless `enabled` is true.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from optimizers import Source
from shape import Spec

MODULE = "deepspeed.module_inject.auto_ep_config"
PRESETS = "deepspeed/module_inject/auto_ep_presets"


def values(source: Source) -> dict[str, Spec]:
    """What is known of the section's keys beyond their defaults, by key."""
    check = source.function(MODULE, "", "validate_autoep_config")
    parse = source.function(MODULE, "", "parse_autoep_config")
    if check is None or parse is None:
        return {}
    words = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.walk(check)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Tuple)
        and all(isinstance(item, ast.Constant) for item in node.value.elts)
    }
    words["PRESET_MODELS"] = tuple(_presets(source))
    found: dict[str, Spec] = {}
    for test in _refused(check):
        key, spec = _wanted(test, words)
        if key:
            found[key] = spec | found.get(key, {})  # `not isinstance(x, int) or x < 1`
    for key in set(_nullable(check)):
        if key in found:
            found[key]["type"] = sorted([found[key]["type"], "null"])
    calls = [ast.unparse(n.func) for n in ast.walk(parse) if isinstance(n, ast.Call)]
    if any("unsupported_load_balance" in name for name in calls):
        found["load_balance_coeff"] = {"type": "null", "checked": True}  # already when it is loaded
    return found


def _refused(function: ast.AST) -> Iterator[ast.expr]:
    """The tests of a function that end in an exception, part by part."""
    for node in ast.walk(function):
        if isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise):
            yield from node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]


def _wanted(test: ast.expr, words: dict[str, tuple[str, ...]]) -> tuple[str, Spec]:
    """The key that a test speaks of and what it has to be, "" for other tests."""
    if isinstance(test, ast.Compare):
        key, sign, limit = _key(test.left), test.ops[0], test.comparators[0]
        if isinstance(sign, ast.NotIn) and isinstance(limit, ast.Name) and words.get(limit.id):
            return key, {"type": "str", "choices": sorted(words[limit.id])}
        if isinstance(sign, ast.Lt) and isinstance(limit, ast.Constant):
            return key, {"type": "number", "min": limit.value}
    elif ast.unparse(test).startswith("not isinstance(config.") and ast.unparse(test).endswith(
        " int)"
    ):
        return ast.unparse(test).partition("config.")[2].partition(",")[0], {"type": "int"}
    return "", {}


def _nullable(function: ast.AST) -> Iterator[str]:
    """The keys that are only looked at where they are not None."""
    for node in ast.walk(function):
        if isinstance(node, ast.Compare) and ast.unparse(node).endswith(" is not None"):
            yield _key(node.left)


def _key(node: ast.expr) -> str:
    is_field = isinstance(node, ast.Attribute) and ast.unparse(node.value) == "config"
    return node.attr if is_field and isinstance(node, ast.Attribute) else ""


def _presets(source: Source) -> Iterator[str]:
    """The names of the models that have a preset: a module each."""
    for file in sorted((source.package.root / PRESETS).glob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PRESET_NAME":
                yield ast.literal_eval(node.value)
