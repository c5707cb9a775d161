"""Derive schemas/deepspeed.json from DeepSpeed's own source.

    python schemas/derive/deepspeed.py --all               # every release from 0.14.5 on
    python schemas/derive/deepspeed.py --version 0.19.9    # add or renew one release

Source archives are fetched with pip into a cache outside the project (`--cache`) and read with
`ast`; nothing of DeepSpeed is imported. The shape of the file is described in shape.py. What comes
from where, in each release:

- keys, sections and defaults: key_reads.py follows the dict that `DeepSpeedConfig.__init__` gets
  (runtime/config.py) through every function that reads it;
- sections given to a pydantic model (`DeepSpeedConfigModel`): its fields, with what pydantic's lax
  mode converts; they refuse unknown keys, all other sections ignore them;
- `refused`: keys that `_reject_removed_config_keys` raises for, whatever their value;
- `deprecated`, `replaced_by`, and `set_new: false` where the old value is not carried over;
- `auto`: of a section, that the string "auto" counts as no value at all, even under an unknown key;
- `checked`: of a key in a section that ignores unknown keys: a wrong value fails when it is loaded;
- choices: Literal and Enum types, and the words a function compares a value with before it raises;
  those of `expert_parallel`, which is checked apart, from expert_parallel.py;
- `optimizer.params@TYPE`, `scheduler.params@TYPE`: the parameters of the class that a type
  stands for (`adam:offload` with a CPU-offloaded optimizer, `adam:torch` with `torch_adam`),
  torch's own from its wheel; keys that the engine takes out before the call are added;
- tables `optimizers`, `torch_optimizers`, `schedulers`, `torch_schedulers`: the types by name;
- table `trainer`: [key, TrainingArguments field, "match" or "fill"] from transformers'
  integrations/deepspeed.py and accelerate's DeepSpeedPlugin: what becomes of "auto" there, and what
  must be equal to the trainer's own value. `sources` names the releases they were read from.

Written by hand, since no single expression of the source says it: HINTS, each bound to the function
that it restates and left out where a release has no such function, and CLASSES.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import expert_parallel
from class_facts import enum_members, fields, find_method
from code_values import UNKNOWN, Class, Key, ModelField, Read
from hf_trainer import trainer_values
from key_reads import KeyReads
from optimizers import CONFIG, ENGINE, Source, parameters, tables
from package_source import PackageSource, cache_folder, released
from shape import Release, Spec, compress, order, write

HERE = Path(__file__).resolve().parent
OUT = HERE.parent / "deepspeed.json"
OLDEST = "0.14.5"

# What pydantic's lax mode takes for an annotation. JSON can hold no dtype.
LAX: dict[str, list[str]] = {
    "bool": ["bool", "int", "truth_text"],
    "int": ["bool", "int", "int_text", "whole"],
    "float": ["bool", "int_text", "number", "number_text"],
    "str": ["str"],
    "Path": ["str"],
    "dict": ["mapping"],
    "Dict": ["mapping"],
    "list": ["list"],
    "List": ["list"],
    "tuple": ["list"],
    "dtype": ["never"],
}
NAME: Spec = {"type": ["null", "str"]}
COUNT: Spec = {"type": ["int", "null", "whole"], "min": 1}

# Path, the function (module, class, name) that says so, what it says.
HINTS: list[tuple[str, tuple[str, str, str], Spec]] = [
    ("optimizer.type", (CONFIG, "DeepSpeedConfig", "_initialize_params"), NAME),
    ("scheduler.type", (ENGINE, "DeepSpeedEngine", "_scheduler_from_config"), NAME),
    (
        "scheduler.params",
        (ENGINE, "DeepSpeedEngine", "_scheduler_from_config"),
        {"type": ["mapping", "null"]},
    ),
    ("train_batch_size", (CONFIG, "DeepSpeedConfig", "_batch_assertion"), COUNT),
    ("train_micro_batch_size_per_gpu", (CONFIG, "DeepSpeedConfig", "_batch_assertion"), COUNT),
    ("gradient_accumulation_steps", (CONFIG, "DeepSpeedConfig", "_batch_assertion"), COUNT),
    ("sequence_parallel_size", (CONFIG, "DeepSpeedConfig", "__init__"),
     {"type": "int", "min": 1}),
    ("vocabulary_size", (CONFIG, "DeepSpeedConfig", "_do_warning_check"),
     {"type": ["int", "null"]}),
    ("steps_per_print", (CONFIG, "", "get_steps_per_print"),
     {"type": ["bool", "int", "null", "whole"]}),
    ("wall_clock_breakdown", (CONFIG, "DeepSpeedConfig", "_initialize_params"),
     {"type": ["bool", "int"]}),
    ("flops_profiler.enabled", (CONFIG, "DeepSpeedConfig", "_initialize_params"),
     {"type": ["bool", "int"]}),
    ("communication_data_type", (CONFIG, "", "get_communication_data_type"), {"null": True}),
    ("seq_parallel_communication_data_type", (CONFIG, "", "get_communication_data_type"),
     {"null": True}),
    ("checkpoint", (CONFIG, "", "get_checkpoint_tag_validation_mode"), {"type": "mapping"}),
    ("checkpoint.writer.type", ("deepspeed.runtime.model_checkpointing.config", "",
                                "get_checkpoint_writer_config"), {"null": True}),
    ("checkpoint.writer.data_parallel", ("deepspeed.runtime.model_checkpointing.config", "",
                                         "get_checkpoint_writer_config"), {"null": True}),
    ("data_types.keep_in_fp32_modules", (CONFIG, "DeepSpeedConfig", "_initialize_params"),
     {"type": ["list", "str"], "items": {"type": "str"}}),
    ("zero_optimization", ("deepspeed.runtime.zero.config", "", "read_zero_config_deprecated"),
     {"type": ["bool", "mapping"]}),
    ("zero_optimization.leaf_module", ("deepspeed.runtime.zero.leaf_module_config",
     "DeepSpeedZeroLeafModuleConfig", "_coerce_container_types"), {"type": ["mapping", "null"]}),
    *((f"zero_optimization.leaf_module.{name}", ("deepspeed.runtime.zero.leaf_module_config",
       "DeepSpeedZeroLeafModuleConfig", "_coerce_container_types"), {"type": ["list", "str"]})
      for name in ("classes", "names", "name_suffixes")),
    ("fp16.loss_scale", ("deepspeed.runtime.precision_config", "DeepSpeedFP16Config",
     "_validate_loss_scale"), {"type": ["int_text", "number", "number_text"], "min": 0}),
    *((f"fp16.{name}", ("deepspeed.runtime.precision_config", "DeepSpeedFP16Config",
       "_reject_non_integer_scale_params"), {"type": ["int", "int_text", "whole"]})
      for name in ("loss_scale_window", "min_loss_scale")),
    ("zero_optimization.zenflow.select_strategy", ("deepspeed.runtime.zenflow.zenflow_config",
     "ZenFlowConfig", "validate_fields"), {"choices": ["auto", "epoch", "step"]}),
    ("zero_optimization.zenflow.select_interval", ("deepspeed.runtime.zenflow.zenflow_config",
     "ZenFlowConfig", "validate_fields"), {"choices": ["auto"]}),
    ("zero_optimization.zenflow.update_interval", ("deepspeed.runtime.zenflow.zenflow_config",
     "ZenFlowConfig", "validate_fields"), {"choices": ["auto"], "min": 1}),
]  # fmt: skip
DTYPES = ("param_dtype", "buffer_dtype", "grad_accum_dtype")  # DtypeEnum(...) in engine.py


def describe(source: Source) -> Release:
    """What one release takes: sections with their keys, and tables."""
    reads = KeyReads(source.package)
    root = source.classed(CONFIG, "DeepSpeedConfig")
    if root is None:
        raise SystemExit(f"no DeepSpeedConfig in {source.package.root}")
    reads.construct(root, [[Read("")]], {}, [])
    reads.keys.setdefault("data_parallel_size", Key(types=["int"]))  # deepspeed.initialize
    sections = {path: _section(path, reads) for path in sorted(reads.sections)}
    for path, where, hint in HINTS:
        parent, _, name = path.rpartition(".")
        spec = sections.get(parent, {}).get("keys", {}).get(name)
        if spec is not None and source.function(*where) is not None:
            _apply(spec, hint)
            if sections[parent]["unknown"] == "ignore":
                spec["checked"] = True
    dtypes = source.classed(CONFIG, "DtypeEnum")
    for name in DTYPES if dtypes else ():
        if name in sections.get("data_types", {}).get("keys", {}):
            words = _words(enum_members(dtypes)) if dtypes else []
            made: Spec = {"type": ["null", "str"], "choices": words, "checked": True}
            sections["data_types"]["keys"][name] = made
    for name, spec in expert_parallel.values(source).items():
        sections["expert_parallel"]["keys"].setdefault(name, {}).update(spec)
    sections |= parameters(source)
    return {"sections": dict(sorted(sections.items())), "tables": tables(source)}


def _apply(spec: Spec, hint: Spec) -> None:
    spec |= {k: v for k, v in hint.items() if k != "null"}
    if hint.get("null"):
        types = spec["type"] if isinstance(spec["type"], list) else [spec["type"]]
        spec["type"] = sorted({*types, "null"})


# ---------------------------------------------------------------- sections and keys


def _section(path: str, reads: KeyReads) -> dict[str, Any]:
    model = reads.models.get(path)
    keys: dict[str, Spec] = {}
    start = f"{path}." if path else ""
    for full, key in reads.keys.items():
        name = full.removeprefix(start)
        if full.startswith(start) and name and "." not in name:
            keys[name] = _read_spec(full, key, reads)
    if model is not None:
        keys = {n: spec for n, spec in keys.items() if spec.get("refused")}
        for one in fields(model):
            keys[one.names[0]] = _field_spec(one)
    if model is None:
        return {"unknown": "ignore", "keys": keys}
    made = find_method(model, "__init__")
    if made is None or not any(
        isinstance(n, ast.Constant) and n.value == "auto" for n in ast.walk(made[1])
    ):
        return {"unknown": "refuse", "keys": keys}
    for argument in made[1].args.args[1:]:  # `strict` is the constructor's own
        keys.setdefault(argument.arg, {"type": "any", "unread": True})
    return {"unknown": "refuse", "auto": True, "keys": keys}


def _read_spec(path: str, key: Key, reads: KeyReads) -> Spec:
    """A key that is read with `get` or a subscript."""
    if key.refused:
        return {"type": "any", "refused": True}
    if path in reads.sections:
        return {"type": ["mapping", "null"] if key.nullable else "mapping", "checked": True}
    spec: Spec = {"type": "any"}
    plain = [d for d in key.defaults if isinstance(d, bool | int | float | str | list)]
    default = plain[0] if plain and len({type(d) for d in plain}) == 1 else UNKNOWN
    tells = default is not UNKNOWN and default != "auto"  # what else may stand there, it hides
    types = list(key.types) or ([_type_name(default)] if tells else [])
    words = [w for w in key.compared if isinstance(w, str)]
    if words and path not in ("optimizer.type", "scheduler.type"):
        spec |= {"choices": sorted(dict.fromkeys(w.lower() if key.folded else w for w in words))}
        types = [*types, "str"]
        if key.folded:
            spec["fold"] = True
        spec["checked"] = True
    elif {True, False} <= {w for w in key.compared if isinstance(w, bool)}:
        types, spec["checked"] = ["bool"], True
    if types:
        spec["type"] = sorted(set(types)) if len(set(types)) > 1 else types[0]
    if default is not UNKNOWN and default not in ("", []):
        spec["default"] = _plain(default)
    return spec


def _type_name(value: Any) -> str:
    for kind, name in ((bool, "bool"), (int, "int"), (float, "number"), (str, "str")):
        if isinstance(value, kind):
            return name
    return "list" if isinstance(value, list) else "mapping"


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() and value > 1e6 else value


def _field_spec(one: ModelField) -> Spec:
    """A field of a pydantic model."""
    types, choices, items = _annotated(one)
    spec: Spec = {"type": types[0] if len(types) == 1 else types}
    if choices:
        spec["choices"] = choices
    if items:
        spec["items"] = items
    if spec["type"] == LAX["bool"]:
        spec |= {"min": 0, "max": 1}
    if one.default is None and "null" not in types:  # so it was under pydantic 1
        spec["type"] = sorted([*types, "null"])
    spec |= one.bounds
    if len(one.names) > 1:
        spec["aliases"] = one.names[1:]
    if isinstance(one.default, bool | int | float | str) and one.default != "":
        spec["default"] = _plain(one.default)
    if one.options.get("deprecated"):
        spec["deprecated"] = True
        new = one.options.get("new_param")
        if isinstance(new, str) and new:
            spec["replaced_by"] = new
        if one.options.get("set_new_param") is False:
            spec["set_new"] = False
    return spec


def _annotated(one: ModelField) -> tuple[list[str], list[Any], Spec]:
    """The types that a field takes, its choices, and what a list's items may be."""
    types: list[str] = []
    choices: list[Any] = []
    items: Spec = {}

    def add(node: ast.expr) -> None:
        name = ast.unparse(node).rpartition(".")[2]
        if isinstance(node, ast.Constant) and node.value is None:
            types.append("null")
        elif isinstance(node, ast.BinOp):
            add(node.left)
            add(node.right)
        elif isinstance(node, ast.Subscript):
            inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            head = ast.unparse(node.value).rpartition(".")[2]
            if head in ("Optional", "Union"):
                for part in inner:
                    add(part)
                types.extend(["null"] if head == "Optional" else [])
            elif head == "Literal":
                choices.extend(e.value for e in inner if isinstance(e, ast.Constant))
                types.append("str")
            elif head in ("List", "list"):
                types.append("list")
                inside = ModelField([], inner[0], UNKNOWN, {}, {}, None, one.module)
                nested, words, _ = _annotated(inside)
                items.update({"type": nested} | ({"choices": words} if words else {}))
            else:
                types.append("mapping" if head in ("Dict", "dict") else "any")
        elif one.model is not None and name == one.model.node.name:
            types.append("mapping")
        elif isinstance(node, ast.Name) and isinstance(cls := one.module.lookup(node.id), Class):
            _enum(cls)
        elif isinstance(node, ast.Name) and (alias := one.module.written(node.id)) is not None:
            add(alias)
        else:
            types.extend(LAX.get(name, ["any"]))

    def _enum(cls: Class) -> None:
        values = list(dict.fromkeys(enum_members(cls).values()))
        if values and all(isinstance(v, int) for v in values):  # lax mode takes "3" and true too
            choices.extend([*values, *(str(v) for v in values)])
            types.extend(["bool", "int", "str", "whole"])
        elif values:
            choices.extend(values)
            types.append("str")
        else:
            types.append("any")

    add(one.annotation)
    return sorted(set(types)), choices, items


def _words(members: dict[str, Any]) -> list[str]:
    values = [v for m in members.values() for v in (m if isinstance(m, list) else [m])]
    return sorted(v for v in values if isinstance(v, str))


# ---------------------------------------------------------------- releases


def fetch(version: str, cache: Path) -> Path:
    """The unpacked source of a release, downloaded once. DeepSpeed publishes no wheels."""
    folder = cache / "deepspeed"
    root = folder / f"deepspeed-{version}"
    if not root.is_dir():
        archive = folder / f"deepspeed-{version}.tar.gz"
        if not archive.exists():
            folder.mkdir(parents=True, exist_ok=True)
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary",
                       "deepspeed", "-d", str(folder), f"deepspeed=={version}"]  # fmt: skip
            settings = {**os.environ, "DS_BUILD_OPS": "0", "DS_ACCELERATOR": "cpu"}
            subprocess.run(command, check=True, env=settings)
        with tarfile.open(archive) as opened:
            members = [m for m in opened.getmembers() if m.name.endswith(".py")]
            opened.extractall(folder, members=members, filter="data")
    return root


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--version", help="add or renew one release")
    which.add_argument("--all", action="store_true", help=f"every release from {OLDEST} on")
    parser.add_argument("--cache", type=Path, default=cache_folder())
    parser.add_argument(
        "--torch", help="the torch whose optimizers are described (the newest that pip can get)"
    )
    parser.add_argument("--transformers", help="the transformers of the trainer table (likewise)")
    parser.add_argument("--accelerate", help="the accelerate of the trainer table (likewise)")
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    known = set(released("deepspeed") if args.all else [args.version])
    if args.version and args.out.exists():  # the history of a key needs its other releases too
        known |= set(json.loads(args.out.read_text(encoding="utf-8"))["versions"])
    versions = sorted((v for v in known if order(v) >= order(OLDEST)), key=order)
    names = ("torch", "transformers", "accelerate")
    sources: dict[str, str] = {}
    others: dict[str, PackageSource] = {}
    for name in names:
        chosen = getattr(args, name)
        sources[name], others[name] = (
            (chosen, PackageSource.of_release(name, chosen))
            if chosen
            else PackageSource.newest(name)
        )
    trainer = trainer_values(others["transformers"], others["accelerate"])
    releases: dict[str, Release] = {}
    for version in versions:
        releases[version] = describe(Source(fetch(version, args.cache), others["torch"]))
        releases[version]["tables"]["trainer"] = trainer
        for path, *_ in trainer:
            section, _, key = path.rpartition(".")
            known = releases[version]["sections"].get(section, {"keys": {}})
            if key in known["keys"] and not known.get("auto"):
                known["keys"][key]["auto"] = True
    data = compress("deepspeed", releases)
    data = {"package": "deepspeed", "versions": data["versions"], "sources": sources, **data}
    write(data, args.out)
    print(f"{args.out}: {len(releases)} releases up to {versions[-1]}")


if __name__ == "__main__":
    main()
