"""The optimizers and schedulers of a DeepSpeed release, with the parameters that each takes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from class_facts import find_method
from code_values import UNKNOWN, Class, Package
from package_source import PackageSource
from shape import Spec

CONFIG = "deepspeed.runtime.config"
ENGINE = "deepspeed.runtime.engine"
SCHEDULES = "deepspeed.runtime.lr_schedules"

# The class behind each optimizer type of `_configure_basic_optimizer` (engine.py); torch's own
# types are theirs by name. mup's are not in the package; Muon drops what it does not know.
CLASSES = {
    "adam": ("deepspeed.ops.adam.fused_adam", "FusedAdam"),
    "adam:offload": ("deepspeed.ops.adam.cpu_adam", "DeepSpeedCPUAdam"),
    "adagrad:offload": ("deepspeed.ops.adagrad.cpu_adagrad", "DeepSpeedCPUAdagrad"),
    "lamb": ("deepspeed.ops.lamb.fused_lamb", "FusedLamb"),
    "lion": ("deepspeed.ops.lion.fused_lion", "FusedLion"),
    "lion:offload": ("deepspeed.ops.lion.cpu_lion", "DeepSpeedCPULion"),
}
TORCH_CLASSES = {"adam:torch": "AdamW", "adagrad": "Adagrad"}
NOT_OPTIMIZERS = ("Optimizer",)
FROM_CALLER = ("self", "optimizer", "params", "model_params")


class Source:
    """One release of DeepSpeed, and the torch whose optimizers it offers."""

    def __init__(self, root: Path, torch: PackageSource | None) -> None:
        self.package = Package(root)
        self.torch = torch

    def function(self, module: str, owner: str, name: str) -> ast.FunctionDef | None:
        """A function or method, None where the release has none."""
        found = self.package.module(module)
        if found is None:
            return None
        if owner:
            cls = found.lookup(owner)
            method = find_method(cls, name) if isinstance(cls, Class) else None
            return method[1] if method else None
        plain = found.lookup(name)
        return getattr(plain, "node", None)

    def classed(self, module: str, name: str) -> Class | None:
        """A class, None where the release has none."""
        found = self.package.module(module)
        cls = found.lookup(name) if found else None
        return cls if isinstance(cls, Class) else None


def parameters(source: Source) -> dict[str, Any]:
    """Sections for the parameters of every optimizer and scheduler class."""
    made: dict[str, Any] = {}
    popped = _popped(source)
    for kind, (module, name) in CLASSES.items():
        cls = source.classed(module, name)
        method = find_method(cls, "__init__") if cls else None
        if method:
            extra = popped if kind.startswith("adam") else {}
            made[f"optimizer.params@{kind}"] = _signature(method[1], extra)
    torch = source.torch
    if torch is not None:
        classes = _torch_classes(torch, "torch/optim/__init__.py")
        for kind, name in [*TORCH_CLASSES.items(), *((n, n) for n in classes)]:
            if name in classes:
                extra = popped if kind.startswith("adam:") else {}
                made[f"optimizer.params@{kind}"] = _signature(classes[name], extra)
        for name, init in _torch_classes(torch, "torch/optim/lr_scheduler.py").items():
            made[f"scheduler.params@{name}"] = _signature(init, {})
    for name in _names(source, SCHEDULES, "VALID_LR_SCHEDULES"):
        cls = source.classed(SCHEDULES, name)
        method = find_method(cls, "__init__") if cls else None
        if method:
            made[f"scheduler.params@{name}"] = _signature(method[1], {})
    return made


def _signature(function: ast.FunctionDef, extra: dict[str, Spec]) -> dict[str, Any]:
    """The keyword parameters of a constructor as a section that refuses others."""
    spec = function.args
    arguments = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
    defaults: dict[str, ast.expr | None] = dict(
        zip([a.arg for a in spec.args][::-1], spec.defaults[::-1], strict=False)
    )
    defaults |= {a.arg: d for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)}
    keys: dict[str, Spec] = {}
    for argument in arguments:
        if argument.arg not in FROM_CALLER:
            keys[argument.arg] = _parameter(argument, defaults.get(argument.arg, UNKNOWN))
    return {"unknown": "ignore" if spec.kwarg else "refuse", "keys": keys | extra}


def _parameter(argument: ast.arg, default: Any) -> Spec:
    if default is UNKNOWN:
        counts = argument.annotation is not None and ast.unparse(argument.annotation) == "int"
        return {"type": "number" if counts else "any", "required": True}
    try:
        value = ast.literal_eval(default)
    except ValueError:
        return {"type": "any"}
    if isinstance(value, tuple | list):
        return {"type": "list", "length": [len(value), len(value)], "default": list(value)}
    if value is None:
        return {"type": "any"}
    if isinstance(value, bool):
        return {"type": "any", "default": value}
    annotation = ast.unparse(argument.annotation) if argument.annotation else ""
    if isinstance(value, int | float):
        counts = isinstance(value, int) and annotation in ("int", "")
        name = "int" if counts and annotation == "int" else "number"
        return {"type": name, "default": value}
    return {"type": "str", "default": value}


def _popped(source: Source) -> dict[str, Spec]:
    """What the engine takes out of the parameters of an Adam before it calls the class."""
    found: dict[str, Spec] = {}
    reads_from = source.package.module(ENGINE)
    for name in ("_configure_basic_optimizer", "get_optimizer_configuration"):
        function = source.function(ENGINE, "DeepSpeedEngine", name)
        for node in ast.walk(function) if function else ():
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "optimizer_parameters.pop":
                key = node.args[0]
                text = key.value if isinstance(key, ast.Constant) else None
                if isinstance(key, ast.Name) and reads_from is not None:
                    text = reads_from.lookup(key.id)
                if isinstance(text, str):
                    found[text] = {"type": "any"}
    return found


def _torch_classes(torch: PackageSource, path: str) -> dict[str, ast.FunctionDef]:
    """The constructors of the optimizers or schedulers that torch exports, by class name."""
    if path.endswith("lr_scheduler.py"):
        classes = torch.classes(path)
        exported = _exported(torch.module(path)) or set(classes)
    else:
        exported = _exported(torch.module(path))
        names = (f"torch/optim/{p}.py" for p in _imported(torch.module(path)))
        classes = torch.classes(*names)
    found: dict[str, ast.FunctionDef] = {}
    for name, node in classes.items():
        if name in exported and name not in NOT_OPTIMIZERS:
            for statement in node.body:
                if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
                    found[name] = statement
    return dict(sorted(found.items()))


def _imported(module: ast.Module) -> Iterator[str]:
    for node in module.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("torch.optim."):
            yield (node.module or "").removeprefix("torch.optim.")


def _exported(module: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in module.body:
        if isinstance(node, ast.ImportFrom):
            found |= {a.asname or a.name for a in node.names}
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            found |= set(ast.literal_eval(node.value))
    return found


def _names(source: Source, module: str, name: str) -> list[str]:
    found = source.package.module(module)
    value = found.lookup(name) if found else UNKNOWN
    if not isinstance(value, list):
        raise SystemExit(f"{name} was not found in {module}")
    return sorted(v for v in value if isinstance(v, str))


def tables(source: Source) -> dict[str, list[Any]]:
    tables = {
        "optimizers": _names(source, CONFIG, "DEEPSPEED_OPTIMIZERS"),
        "schedulers": _names(source, SCHEDULES, "VALID_LR_SCHEDULES"),
    }
    if source.torch is not None:
        optimizers = _torch_classes(source.torch, "torch/optim/__init__.py")
        schedulers = _torch_classes(source.torch, "torch/optim/lr_scheduler.py")
        tables |= {"torch_optimizers": [*optimizers], "torch_schedulers": [*schedulers]}
    return tables
