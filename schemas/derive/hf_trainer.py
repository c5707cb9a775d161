"""What the Hugging Face trainer writes into a DeepSpeed file, and what it compares there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from package_source import PackageSource


def trainer_values(transformers: PackageSource, accelerate: PackageSource) -> list[list[str]]:
    """What transformers and accelerate put in the place of "auto", and what they compare."""
    found: dict[str, tuple[str, str]] = {}
    module = transformers.module("transformers/integrations/deepspeed.py")
    for node in ast.walk(module):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr in ("fill_match", "fill_only") and node.args:
            key = node.args[0]
            if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                continue
            compared = node.func.attr == "fill_match"
            names = [a.value for a in node.args[2:] if isinstance(a, ast.Constant)]
            must = next((k.value for k in node.keywords if k.arg == "must_match"), None)
            if isinstance(must, ast.Constant) and must.value is False:
                compared = False
            name = next((n for n in names if isinstance(n, str)), "")
            found[key.value] = (name, "match" if compared else "fill")
    for path in ("accelerate/utils/dataclasses.py", "accelerate/accelerator.py"):
        for name in _filled(accelerate.module(path)):
            found.setdefault(name, ("", "fill"))
    return [[name, *found[name]] for name in sorted(found)]


def _filled(module: ast.Module) -> Iterator[str]:
    """The keys that accelerate itself fills: `plugin_to_config_mapping` of DeepSpeedPlugin and
    `config_kwargs` of Accelerator._prepare_deepspeed."""
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            target = ast.unparse(node.targets[0])
            if target == "plugin_to_config_mapping":
                yield from _texts(node.value.values)
            elif target == "config_kwargs":
                yield from _texts(node.value.keys)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "config_kwargs.update":
            for argument in node.args:
                yield from _texts(argument.keys if isinstance(argument, ast.Dict) else [])
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "config_kwargs":
            yield from _texts([node.slice])


def _texts(nodes: Sequence[ast.expr | None]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
