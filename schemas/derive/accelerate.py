"""Derive schemas/accelerate.json from accelerate's own source.

    python schemas/derive/accelerate.py --all               # every release from 0.10.0 on
    python schemas/derive/accelerate.py --version 1.16.0    # add or renew one release

Wheels are fetched with pip into a cache outside the project (`--cache`) and read with `ast`;
nothing of accelerate is imported. What comes from where, in each release:

- top-level keys, types, defaults: the dataclasses in commands/config/config_args.py;
- keys of the sections: the argument groups of `launch_command_parser` (commands/launch.py), since
  `_validate_launch_command` copies each key of a section onto the launcher option of that name;
- what a section's value may be: utils/launch.py puts the options into environment variables, and
  the plugins of utils/dataclasses.py (with parallelism_config.py, accelerator.py, state.py) read
  them back through int(), float(), str_to_bool() or a comparison. YAML values take that way
  unconverted, so these conversions decide, not the types of the parser. A variable that is set
  without an `is not None` guard does not take null;
- `unread`: a section's key that utils/launch.py never looks at, and a top-level key whose option
  has a default of its own (a key of the file counts only where the option is None);
- choices: the Enum classes and constants;
- `prefix`: the prefix that `_validate_launch_command` adds to a section's keys.

Releases before OLDEST are told by their top-level keys alone, for it is these that a file of a
newer `accelerate config` breaks on; all else of them is as in OLDEST.

Written by hand, because no single expression of the source says it: `NEEDS` (what later code
needs of a top-level key, with the function that needs it), `HINTS` (which constant belongs to which
key) and `LOST` (names that look right and are read by nobody).
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from shape import Release, Spec, compress, order, write

HERE = Path(__file__).resolve().parent
OUT = HERE.parent / "accelerate.json"
OLDEST = "0.27.0"
KEYS_FROM = "0.10.0"

GROUPS = {
    "DeepSpeed Arguments": "deepspeed_config",
    "FSDP Arguments": "fsdp_config",
    "FP8 Arguments": "fp8_config",
    "MPI Arguments": "mpirun_config",
    "Megatron-LM Arguments": "megatron_lm_config",
    "ParallelismConfig Arguments": "parallelism_config",
    "TP Arguments": "tp_config",
}
CONVERTED: dict[str, Spec] = {
    "int": {"type": ["int", "int_text"]},
    "float": {"type": ["int_text", "number", "number_text"]},
    "truth": {"type": ["bool", "int", "truth_text"], "min": 0, "max": 1},
    "is_true": {"type": ["bool", "str"], "choices": [False, True, "false", "true"], "fold": True},
    "str": {"type": ["bool", "number", "str"]},  # str() on the way: any single value does
}
STRENGTH = {"str": 0, "is_true": 1, "truth": 2, "int": 2, "float": 2}


class Source:
    """The Python source of one release of accelerate."""

    def __init__(self, wheel: Path) -> None:
        self.version = wheel.name.split("-")[1]
        with zipfile.ZipFile(wheel) as archive:
            self._files = {
                name.removeprefix("accelerate/"): archive.read(name)
                for name in archive.namelist()
                if name.startswith("accelerate/") and name.endswith(".py")
            }

    def tree(self, path: str) -> ast.Module:
        """A module's syntax tree; an empty one where the release has no such module."""
        return ast.parse(self._files.get(path, b""))

    def function(self, path: str, name: str) -> ast.FunctionDef | None:
        return next((f for f in functions(self.tree(path)) if f.name == name), None)

    def enum(self, name: str) -> list[str]:
        """The string values of an Enum class in utils/dataclasses.py."""
        for node in ast.walk(self.tree("utils/dataclasses.py")):
            if isinstance(node, ast.ClassDef) and node.name == name:
                values = (s.value for s in node.body if isinstance(s, ast.Assign))
                return [str(v.value) for v in values if isinstance(v, ast.Constant)]
        return []

    def literal_type(self, name: str) -> list[str]:
        """The values of `name = Literal[...]` in utils/dataclasses.py."""
        for node in self.tree("utils/dataclasses.py").body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
                return [
                    str(v)
                    for v in ast.literal_eval(ast.unparse(node.value).removeprefix("Literal"))
                ]
        return []

    def constant(self, name: str) -> list[Any]:
        """A list of utils/constants.py."""
        for node in self.tree("utils/constants.py").body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
                value = ast.literal_eval(node.value)
                return list(value) if isinstance(value, list) else []
        return []


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """Every function of a module, methods included."""
    return (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))


def text(node: ast.AST | None, names: dict[str, str] | None = None) -> str | None:
    """A string constant, or `prefix + "NAME"` where `names` knows the prefix."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.left, ast.Name) and names:
        left, right = names.get(node.left.id), text(node.right)
        return left + right if left is not None and right is not None else None
    return None


def strings(function: ast.FunctionDef) -> dict[str, str]:
    """The local variables of a function that hold one string constant."""
    return {
        ast.unparse(n.targets[0]): n.value.value
        for n in ast.walk(function)
        if isinstance(n, ast.Assign)
        and isinstance(n.value, ast.Constant)
        and isinstance(n.value.value, str)
    }


def parents(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


# --- the launcher's options


class Option:
    """An option of `accelerate launch`."""

    def __init__(self, call: ast.Call, group: str) -> None:
        words = {k.arg: k.value for k in call.keywords}
        names = [v for v in map(text, call.args) if v]
        longest = max(names, key=len)
        self.name = text(words.get("dest")) or longest.lstrip("-").replace("-", "_")
        self.is_option = longest.startswith("-")
        self.group = group
        flag = text(words.get("action")) in ("store_true", "store_false")
        self.default = constant(words.get("default"), False if flag else None)
        self.flag = flag


def constant(node: ast.AST | None, absent: Any = None) -> Any:
    """A literal, also in the form `int(1e8)`."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "int":
        return int(ast.literal_eval(node.args[0]))
    try:
        return absent if node is None else ast.literal_eval(node)
    except ValueError:
        return absent


def options(source: Source) -> list[Option]:
    """All options of `accelerate launch`, with the title of their argument group."""
    function = source.function("commands/launch.py", "launch_command_parser")
    titles = {}
    found = []
    for node in ast.walk(function) if function else ():
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        if (
            isinstance(node.value.func, ast.Attribute)
            and node.value.func.attr == "add_argument_group"
        ):
            titles[ast.unparse(node.targets[0])] = text(node.value.args[0]) or ""
    for node in ast.walk(function) if function else ():
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "add_argument"
        ):
            found.append(Option(node, titles.get(ast.unparse(node.func.value), "")))
    return [o for o in found if o.is_option and o.name != "h"]


# --- from a section's key to the plugin that reads it


def exports(source: Source) -> tuple[dict[str, tuple[str, bool, bool]], set[str]]:
    """How utils/launch.py hands options on.

    Returns, for each option that becomes an environment variable, the variable, whether an
    unset (None) option is left out, and whether the value is turned into a string on the way; and
    the names of all options that are looked at.
    """
    found: dict[str, tuple[str, bool, bool]] = {}
    read: set[str] = set()
    tree = source.tree("utils/launch.py")
    for function in functions(tree):
        names, above = strings(function), parents(function)
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "args":
                read.add(node.attr)
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "getattr":
                name = text(node.args[1])
                if name and ast.unparse(node.args[0]) == "args":
                    read.add(name)
            if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Subscript):
                continue
            variable = text(node.targets[0].slice, names)
            used = re.findall(r"\bargs\.(\w+)", ast.unparse(node.value))
            if variable and used and used[0] not in found:
                guard, up = False, above.get(node)
                while up is not None and not guard:
                    if isinstance(up, ast.If):
                        condition = ast.unparse(up.test).replace(
                            f"getattr(args, '{used[0]}', None)", f"args.{used[0]}"
                        )
                        guard = condition == f"args.{used[0]} is not None"
                    up = above.get(up)
                value = ast.unparse(node.value)
                found[used[0]] = (variable, guard, value != f"args.{used[0]}")
    return found, read


def conversions(source: Source) -> dict[str, str]:
    """How the plugins read each environment variable: a name in `CONVERTED`."""
    found: dict[str, str] = {}
    modules = ("utils/dataclasses.py", "parallelism_config.py", "accelerator.py", "state.py")
    for function in (f for m in modules for f in functions(source.tree(m))):
        names, above = strings(function), parents(function)
        for node in ast.walk(function):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            how = ast.unparse(node.func)
            if how not in ("os.environ.get", "parse_flag_from_env", "parse_choice_from_env"):
                continue
            variable = text(node.args[0], names)
            kind = "truth" if how == "parse_flag_from_env" else "str"
            up: ast.AST | None = above.get(node)
            while kind == "str" and isinstance(up, (ast.Call, ast.Attribute, ast.Compare)):
                if isinstance(up, ast.Compare):
                    kind = "is_true" if ast.unparse(up).endswith("== 'true'") else "str"
                    break
                called = ast.unparse(up.func) if isinstance(up, ast.Call) else ""
                kind = {"int": "int", "float": "float", "str_to_bool": "truth"}.get(called, "str")
                up = above.get(up)
            if variable and STRENGTH[kind] >= STRENGTH[found.get(variable, "str")]:
                found[variable] = kind
    return found


def prefixes(source: Source) -> tuple[dict[str, str], set[str] | None]:
    """The prefix added to each section's keys, and the sections that are copied (None: all)."""
    function = source.function("commands/launch.py", "_validate_launch_command")
    found: dict[str, str] = {}
    copied: set[str] = set()
    for node in ast.walk(function) if function else ():
        section = None
        if isinstance(node, ast.For) and ast.unparse(node.iter).startswith("defaults."):
            section = ast.unparse(node.iter).removeprefix("defaults.")
            if section.endswith("_config"):
                copied.add(section)
        elif isinstance(node, ast.If):
            match = re.search(r"\bname == '(\w+)'", ast.unparse(node.test))
            section = match[1] if match else None
        if section:
            body = [n for s in node.body for n in ast.walk(s)]  # type: ignore[attr-defined]
            for part in body:
                if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add) and text(part.left):
                    found[section] = text(part.left) or ""
    return found, copied or None


# --- what no single expression of the source says


def named(values: list[Any], **more: Any) -> Spec:
    """A string out of `values`."""
    return {"type": "str", "choices": sorted(map(str, values)), **more}


def numbered(values: list[Any]) -> Spec:
    """A name out of `values` in any letter case, or its number from 1."""
    digits = [str(i + 1) for i in range(len(values))]
    spec = named([*values, *digits], fold=True)
    return {**spec, "type": ["int", "str"], "min": 1, "max": len(values)}


def sharding(source: Source) -> Spec:
    """One of the constant's names, its number, or a name that only torch has."""
    spec = numbered(source.constant("FSDP_SHARDING_STRATEGY"))
    return {**spec, "choices": sorted([*spec["choices"], "_HYBRID_SHARD_ZERO2"])}


def precision(source: Source) -> Spec:
    """`.lower()` in utils/launch.py; before 0.34 `from_yaml_file` turned false into "no"."""
    spec = {**named(source.enum("PrecisionType"), fold=True), "type": ["null", "str"]}
    loader = source.function("commands/config/config_args.py", "from_yaml_file")
    if loader and "isinstance(config_dict['mixed_precision'], bool)" in ast.unparse(loader):
        spec["type"], spec["choices"] = ["bool", "null", "str"], [False, *spec["choices"]]
    return spec


def linear_precision(source: Source) -> Spec:
    """setup_fp8_env: `value[0]`, `value[1]`, `value[2]`; before 1.5 `value.strip("()")`."""
    function = source.function("utils/launch.py", "setup_fp8_env")
    if function and "value[0]" in ast.unparse(function):
        return {"type": "list", "items": {"type": ["bool", "truth_text"]}, "length": [3, None]}
    return {"type": "str"}


def fp8_backend(source: Source) -> Spec:
    """`FP8BackendType(...)` in accelerator.py; before 1.9 compared with `.upper()`."""
    values = source.enum("FP8BackendType") or source.literal_type("Backend")
    exact = "FP8BackendType(" in ast.unparse(source.tree("accelerator.py"))
    return named(values) if exact else named(values, fold=True)


WORD = {"type": ["null", "str"]}
LIST = {"type": ["list", "null"], "items": {"type": ["null", "str"]}}
SECTION = {"type": ["mapping", "null"]}

# What the launch needs of a top-level key, where the annotation does not say it.
NEEDS: dict[str, Callable[[Source], Spec]] = {
    # load_config_from_file, BaseConfig.__post_init__: the value of an Enum; false passes
    "compute_environment": lambda s: named(s.enum("ComputeEnvironment")),
    "distributed_type": lambda s: {
        "type": ["bool", "str"],
        "choices": [False, *sorted(s.enum("DistributedType"))],
        "required": True,
    },
    "mixed_precision": precision,
    # prepare_simple_launcher_cmd_env: str_to_bool(str(...)), read by NO and MULTI_CPU only
    "use_cpu": lambda s: {"type": ["bool", "truth_text"], "default": False},
    "debug": lambda s: {"type": "bool", "default": False},
    # prepare_*: num_processes // num_machines, num_machines > 1, int(machine_rank)
    "num_processes": lambda s: {"type": "int", "min": 1},
    "num_machines": lambda s: {"type": "int", "min": 1, "default": 1},
    "machine_rank": lambda s: {"type": ["int", "int_text"], "min": 0, "default": 0},
    # _validate_launch_command: .split(",")
    "gpu_ids": lambda s: WORD,
    # rdzv_endpoint is an f-string; MASTER_ADDR of the simple launcher needs a str
    "main_process_ip": lambda s: WORD,
    # is_port_in_use: connect_ex
    "main_process_port": lambda s: {"type": ["int", "null"], "min": 0, "max": 65535},
    # never read from the file; `accelerate config` writes the string 'no' for downcast_bf16
    "downcast_bf16": lambda s: {"type": ["bool", "str"]},
    "commands": lambda s: LIST,
    "tpu_env": lambda s: LIST,
    "tpu_vm": lambda s: LIST,
    # process_config turns these two into mixed_precision and dynamo_config
    "fp16": lambda s: {"type": "bool", "deprecated": True, "replaced_by": "mixed_precision"},
    "dynamo_backend": lambda s: {
        **named(s.enum("DynamoBackend"), fold=True),
        "deprecated": True,
        "replaced_by": "dynamo_config.dynamo_backend",
    },
}

# What a section's key takes, where a constant or a plugin's own comparison decides.
HINTS: dict[str, Callable[[Source], Spec]] = (
    {
        "fsdp_sharding_strategy": sharding,
        "fsdp_auto_wrap_policy": lambda s: named(s.constant("FSDP_AUTO_WRAP_POLICY"), fold=True),
        "fsdp_backward_prefetch": lambda s: {
            **numbered(s.constant("FSDP_BACKWARD_PREFETCH")),
            "max": 2,  # NO_PREFETCH is no BackwardPrefetch, only its name is known
            "choices": sorted([*s.constant("FSDP_BACKWARD_PREFETCH"), "1", "2"]),
        },
        "fsdp_state_dict_type": lambda s: numbered(s.constant("FSDP_STATE_DICT_TYPE")),
        "fsdp_version": lambda s: {"type": ["int", "str"], "choices": [1, 2, "1", "2"]},
        "fsdp_transformer_layer_cls_to_wrap": lambda s: {"type": "str"},
        # FullyShardedDataParallelPlugin reads it as a truth word under version 2 only
        "fsdp_reshard_after_forward": lambda s: {"type": ["bool", "int", "str"]},
        "zero_stage": lambda s: {
            "type": ["int", "str"],
            "choices": [0, 1, 2, 3, "0", "1", "2", "3"],
        },
        "offload_optimizer_device": lambda s: named(["none", "cpu", "nvme"], fold=True),
        "offload_param_device": lambda s: named(["none", "cpu", "nvme"], fold=True),
        "gradient_accumulation_steps": lambda s: {
            "type": ["int", "int_text", "str"],
            "min": 1,
            "choices": ["auto"],
        },
        "gradient_clipping": lambda s: {
            "type": ["int_text", "number", "number_text", "str"],
            "choices": ["auto"],
            "fold": True,
        },
        "deepspeed_multinode_launcher": lambda s: named(
            s.constant("DEEPSPEED_MULTINODE_LAUNCHERS")
        ),
        "dynamo_backend": lambda s: named(s.enum("DynamoBackend"), fold=True),
        "dynamo_mode": lambda s: named(s.constant("TORCH_DYNAMO_MODES")),
        "fp8_backend": fp8_backend,
        "fp8_format": lambda s: named(s.literal_type("FP8Format"), fold=True),
        "fp8_amax_compute_algo": lambda s: named(s.literal_type("AmaxComputeAlgorithm"), fold=True),
        "fp8_opt_level": lambda s: named(s.literal_type("OptLevel")),
        "fp8_override_linear_precision": linear_precision,
        "parallelism_config_cp_comm_strategy": lambda s: named(["allgather", "alltoall"]),
        "parallelism_config_cp_backend": lambda s: named(["torch"]),
        "parallelism_config_sp_backend": lambda s: named(["deepspeed"]),
        "parallelism_config_sp_attn_implementation": lambda s: {
            "type": "str",
            "pattern": r"^(flash_attention_[23]|sdpa|.*/.*flash-attn.*|.*flash-attn.*/.*)$",
        },
        "parallelism_config_sp_seq_length": lambda s: {"type": ["int", "int_text", "null"]},
    }
    | {
        # int(); of these two prepare_extend_env_parallelism_config asks `> 1` first
        f"parallelism_config_{size}_size": lambda s: {"type": "int", "min": 1}
        for size in ("cp", "sp")
    }
    | {
        f"parallelism_config_{size}_size": lambda s: {"type": ["int", "int_text"], "min": 1}
        for size in ("dp_replicate", "dp_shard", "tp")
    }
)

# Names that look right and reach nobody: what `accelerate config` asks for and launch does not read
# (commands/config/cluster.py), and names of older releases.
LOST = {
    "fp8_config": {
        "fp8_amax_history_length": "fp8_amax_history_len",
        "fp8_amax_compute_algorithm": "fp8_amax_compute_algo",
        "fp8_optimization_level": "fp8_opt_level",
    },
    "fsdp_config": {"fsdp_backward_prefetch_policy": "fsdp_backward_prefetch"},
}
CONTROL = ("compute_environment", "distributed_type", "mixed_precision", "debug", "tpu_use_cluster")


def annotated(annotation: str) -> Spec:
    """The spec of a dataclass annotation."""
    names = {"int": "int", "str": "str", "bool": "bool", "float": "number", "dict": "mapping"}
    found = {names[w] for w in re.findall(r"\w+", annotation) if w in names}
    if "list" in annotation.lower():
        found = {"list"}
    if "Optional" in annotation:
        found.add("null")
    types = sorted(found)
    return {"type": types[0] if len(types) == 1 else types} if types else {}


def fields(source: Source, *classes: str) -> dict[str, Spec]:
    """The keys that a config class takes, in the order of its fields."""
    found: dict[str, Spec] = {}
    for node in ast.walk(source.tree("commands/config/config_args.py")):
        if not isinstance(node, ast.ClassDef) or node.name not in classes:
            continue
        for part in node.body:
            if isinstance(part, ast.AnnAssign):
                spec = annotated(ast.unparse(part.annotation))
                default = constant(part.value)
                if default is not None:
                    spec["default"] = default
                elif part.value is not None and "type" in spec:  # `x: str = None` takes null too
                    types = spec["type"] if isinstance(spec["type"], list) else [spec["type"]]
                    spec["type"] = sorted({*types, "null"})
                elif node.name != "BaseConfig":
                    spec["required"] = True
                found[ast.unparse(part.target)] = spec
    return found


def describe(source: Source) -> Release:
    """The sections and tables of one release."""
    opts = {o.name: o for o in options(source)}
    exported, read = exports(source)
    converted = conversions(source)
    prefix, copied = prefixes(source)

    top = fields(source, "BaseConfig", "ClusterConfig")
    names = [n for n in top if n.endswith("_config")]
    loader = ast.unparse(source.tree("commands/config/config_args.py"))
    legacy = [n for n in ("fp16", "dynamo_backend") if f"'{n}' in config_dict" in loader]
    for name in [*top, *legacy]:
        if name in names:
            top[name] = dict(SECTION)
        elif name in NEEDS:
            required = {k: v for k, v in top.get(name, {}).items() if k == "required"}
            top[name] = {**NEEDS[name](source), **required}
        option = opts.get(name)
        if option and option.default is not None and name not in CONTROL and name not in names:
            top[name] = {**top[name], "unread": True}
    sections: dict[str, Any] = {"": {"unknown": "refuse", "keys": top}}
    for name in names:
        keys = {}
        for option in opts.values():
            if belongs(option) == name:
                keys[option.name] = of_section(source, option, exported, read, converted)
        if name == "mpirun_config":
            keys |= {
                n: {"type": "str"} for n in ("bind-to", "mpirun_ccl") if n in read and n not in keys
            }
        if name == "fsdp_config" and "fsdp_ignored_modules" in read:
            keys.setdefault("fsdp_ignored_modules", {"type": ["null", "str"]})
        for lost, better in LOST.get(name, {}).items():
            if lost not in keys:
                keys[lost] = {"unread": True, "replaced_by": better}
        section: dict[str, Any] = {"unknown": "ignore", "keys": keys}
        if name in prefix:
            section["prefix"] = prefix[name]
        if copied is not None and name not in copied:
            section["unread"] = True
        sections[name] = section
    sections["@sagemaker"] = {
        "unknown": "refuse",
        "when": {"key": "compute_environment", "values": ["AMAZON_SAGEMAKER"]},
        "keys": sagemaker(source, legacy),
    }
    exclusive = source.function("utils/dataclasses.py", "_deepspeed_config_checks")
    return {
        "sections": sections,
        "tables": {
            "beside_deepspeed_config_file": excluded(exclusive),
            "gpu_types": gpu_types(source),
            "launch_options": sorted(
                n
                for n in opts
                if n not in top and not any(n in s["keys"] for s in sections.values())
            ),
        },
    }


def older(source: Source, later: Release) -> Release:
    """A release before OLDEST: its own top-level keys, and all else as in OLDEST."""
    top = later["sections"][""]["keys"]
    loader = ast.unparse(source.tree("commands/config/config_args.py"))
    own = fields(source, "BaseConfig", "ClusterConfig")
    own |= {n: {} for n in ("fp16", "dynamo_backend") if f"'{n}' in config_dict" in loader}
    keys = {name: top.get(name, spec) for name, spec in own.items()}
    return {**later, "sections": {**later["sections"], "": {"unknown": "refuse", "keys": keys}}}


def belongs(option: Option) -> str:
    """The section whose keys are copied onto an option, "" for none."""
    if option.name.startswith("dynamo_"):
        return "dynamo_config"
    if option.name in ("ipex", "use_xpu"):  # what `accelerate config` wrote into ipex_config
        return "ipex_config"
    return GROUPS.get(option.group, "")


def of_section(
    source: Source,
    option: Option,
    exported: dict[str, tuple[str, bool, bool]],
    read: set[str],
    converted: dict[str, str],
) -> Spec:
    """What a section's key takes, and whether anything reads it."""
    name = option.name
    variable, guarded, as_text = exported.get(name, ("", True, True))
    if name.startswith("fp8_"):  # setup_fp8_env: every fp8_* option that is not None
        variable = f"ACCELERATE_{name.upper()}"
    spec = dict(HINTS[name](source) if name in HINTS else CONVERTED[converted.get(variable, "str")])
    if not as_text or (not variable and name not in HINTS):  # an argument of a command, as it is
        spec["type"] = "str"
    if guarded:
        types = spec["type"] if isinstance(spec["type"], list) else [spec["type"]]
        spec["type"] = sorted({*types, "null"})
    if name not in read and not name.startswith("fp8_"):
        spec["unread"] = True
    default = list(option.default) if isinstance(option.default, tuple) else option.default
    if default is not None:
        spec["default"] = default
    return spec


def sagemaker(source: Source, legacy: list[str]) -> dict[str, Spec]:
    """The keys of a SageMaker config. "NO" is refused since process_config adds num_processes."""
    keys = fields(source, "BaseConfig", "SageMakerConfig")
    adds = "config_dict['num_processes'] = 1" in ast.unparse(
        source.tree("commands/config/config_args.py")
    )
    kinds = [k for k in source.enum("SageMakerDistributedType") if not (adds and k == "NO")]
    keys["compute_environment"] = {**named(["AMAZON_SAGEMAKER"]), "required": True}
    keys["distributed_type"] = {
        "type": ["bool", "str"],
        "choices": [False, *sorted(kinds)],
        "required": True,
    }
    for name in ("mixed_precision", "use_cpu", "debug", *legacy):
        keys[name] = NEEDS[name](source)
    keys["dynamo_config"] = dict(SECTION)
    for name in (
        "base_job_name",
        "gpu_ids",
        "py_version",
        "pytorch_version",
        "transformers_version",
    ):
        keys[name].pop("default", None)
    return keys


def excluded(function: ast.FunctionDef | None) -> list[str]:
    """The keys that `DeepSpeedPlugin._deepspeed_config_checks` refuses beside a DeepSpeed file."""
    for node in ast.walk(function) if function else ():
        if isinstance(node, ast.List):
            names = [
                v.removeprefix("ACCELERATE_").removeprefix("DEEPSPEED_")
                for v in map(text, node.elts)
                if v
            ]
            return sorted(n.lower() for n in names)
    raise SystemExit("the list in DeepSpeedPlugin._deepspeed_config_checks was not found")


def gpu_types(source: Source) -> list[str]:
    """The distributed types that `_validate_launch_command` treats as multi-GPU."""
    function = source.function("commands/launch.py", "_validate_launch_command")
    for node in ast.walk(function) if function else ():
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "args.multi_gpu":
            return sorted(re.findall(r"DistributedType\.(\w+)", ast.unparse(node.value)))
    raise SystemExit("the multi-GPU types in _validate_launch_command were not found")


# --- releases


def fetch(version: str, cache: Path) -> Path:
    """The wheel of a release, downloaded once."""
    found = sorted(cache.glob(f"accelerate-{version}-*.whl"))
    if not found:
        cache.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(cache)]
        subprocess.run([*command, f"accelerate=={version}"], check=True)
        found = sorted(cache.glob(f"accelerate-{version}-*.whl"))
    return found[0]


def released() -> list[str]:
    """The releases that pip knows, from KEYS_FROM on."""
    command = [sys.executable, "-m", "pip", "index", "versions", "accelerate"]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    line = next(x for x in out.splitlines() if x.startswith("Available versions:"))
    versions = re.findall(r"\d[\w.]*", line)
    return sorted((v for v in versions if order(v) >= order(KEYS_FROM)), key=order)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--version", help="add or renew one release")
    which.add_argument("--all", action="store_true", help=f"every release from {KEYS_FROM} on")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache/cfglint-derive")
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    versions = set(released() if args.all else [args.version])
    if args.version and args.out.exists():  # the history of a key needs its other releases too
        versions |= set(json.loads(args.out.read_text(encoding="utf-8"))["versions"])
    sources = {v: Source(fetch(v, args.cache)) for v in sorted(versions, key=order)}
    full = {v: describe(source) for v, source in sources.items() if order(v) >= order(OLDEST)}
    first = full[min(full, key=order)]
    releases = {v: full.get(v) or older(source, first) for v, source in sources.items()}
    write(compress("accelerate", releases), args.out)
    print(f"{args.out}: {len(releases)} releases up to {max(releases, key=order)}")


if __name__ == "__main__":
    main()
