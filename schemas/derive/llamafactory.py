"""Write schemas/llamafactory.json: what each LLaMA-Factory release takes and refuses.

    python schemas/derive/llamafactory.py --all             every release since 0.8.3
    python schemas/derive/llamafactory.py --version 0.9.5   add or renew one release

The releases are read, not imported (wheels are cached by package_source.py); run transformers.py
first, whose key names this script needs. Beside what shape.py and checks_file.py describe:

- sections whose name begins with `&` are parts. Tables `form:NAME` say of which parts a config
  file of that form (`train`, `infer`, `export`, `eval`, `v1`) is made; `&transformers` is the top
  section of transformers.json. `derived` in a part: attributes that no file can set.
- a check's `forms` are those that make it; `late` marks what is found only after the arguments are
  parsed (when the stage is chosen, the tokenizer, model or optimizer made).
- sections `@dataset_info`, `.columns` and `.tags`: an entry of dataset_info.json.
- tables: `requires` (version ranges it tests at start), `reader` (`pyyaml` or `omegaconf`),
  `suffixes` (of config files), `templates`, `tool_formats`.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from checks_file import expand, write_with_checks
from expressions import Expr
from package_source import MISSING, Names, PackageSource, default_of, released, type_of
from shape import order
from symbolic import Reading

OLDEST = "0.8.3"
TARGET = Path(__file__).parent.parent / "llamafactory.json"
ARGUMENTS = [f"llamafactory/hparams/{part}_args.py" for part in (
    "model", "data", "training", "finetuning", "generating", "evaluation")]  # fmt: skip
V1 = [f"llamafactory/v1/config/{part}.py" for part in (
    "arg_utils", "model_args", "data_args", "training_args", "sample_args")]  # fmt: skip
PARTS = {
    "&model": "ModelArguments", "&data": "DataArguments", "&training": "TrainingArguments",
    "&finetuning": "FinetuningArguments", "&generating": "GeneratingArguments",
    "&evaluation": "EvaluationArguments",
}  # fmt: skip
V1_SHARED = (V1[0], "llamafactory/v1/utils/types.py")
V1_PARTS = ("ModelArguments", "DataArguments", "TrainingArguments", "SampleArguments")
FORMS = {
    "train": ["&model", "&data", "&training", "&transformers", "&finetuning", "&generating"],
    "infer": ["&model", "&data", "&finetuning", "&generating"],
    "export": ["&model", "&data", "&finetuning", "&generating"],
    "eval": ["&model", "&data", "&evaluation", "&finetuning"],
}
ENTRY = {"train": "get_train_args", "infer": "get_infer_args", "export": "get_infer_args",
         "eval": "get_eval_args"}  # fmt: skip
HOLDERS = {"self", "model_args", "data_args", "training_args", "finetuning_args",
           "generating_args", "eval_args", "sample_args"}  # fmt: skip
LATE_MODULES = (
    "llamafactory/train/tuner.py",
    "llamafactory/train/trainer_utils.py",
    "llamafactory/model/model_utils/quantization.py",
    "llamafactory/model/model_utils/attention.py",
    "llamafactory/model/adapter.py",
    "llamafactory/data/loader.py",
    "llamafactory/train/sft/workflow.py",
)
PARALLEL_MODES = {"NOT_PARALLEL": "not_parallel", "NOT_DISTRIBUTED": "not_distributed",
                  "DISTRIBUTED": "distributed"}  # fmt: skip
# what getattr(torch, ...) finds that a model can be loaded in
DTYPES = ("auto", "float16", "bfloat16", "float32", "half", "float", "double", "float64")
PLAIN_MODEL = "(a plain model)"
QUANTIZED = "getattr(model, 'quantization_method', None)"
QUANTIZING = [
    "and",
    ["isnot", "$quantization_bit", None],
    ["in", "$quantization_method", ["list", "bitsandbytes", "bnb", "hqq", "eetq"]],
]
CONTEXT = {
    "is_deepspeed_zero3_enabled": ["context", "zero3"],
    "is_fsdp_enabled": ["context", "fsdp"],
    "use_ray": ["context", "env:USE_RAY"],
    "has_tokenized_data": ["context", "exists:tokenized_path"],
}
REPLACED = {
    "chunk_size": "kt_weight_path",
    "enable_liger_kernel_type": "enable_liger_kernel",
    "image_dir": "media_dir",
    "image_resolution": "image_max_pixels",
    "new_special_tokens": "add_special_tokens",
    "reserved_label_len": "cutoff_len",
    "train_mm_proj_only": "freeze_vision_tower",
    "video_resolution": "video_max_pixels",
    "vllm_dtype": "infer_dtype",
}
"""Renamed keys, from the release notes and the commits that renamed them."""


def describe(source: PackageSource, base_keys: set[str]) -> dict[str, Any]:
    """One release."""
    names = Names(source.classes(*ARGUMENTS, "llamafactory/extras/constants.py"))
    names.enums["ParallelMode"] = PARALLEL_MODES
    sections = {part: section(names, owner) for part, owner in PARTS.items() if names.fields(owner)}
    sections.update(dataset_info(source))
    templates, eager = template_names(source)
    tools = tool_formats(source)
    names.enums["Templates"] = {name: name for name in templates}
    names.enums["ToolFormats"] = {name: name for name in tools}
    forms = {form: [p for p in parts if p == "&transformers" or p in sections]
             for form, parts in FORMS.items()}  # fmt: skip
    bound: dict[str, Expr] = {}
    readings = {}
    for form, parts in forms.items():
        keys = {key for p in parts if p in sections for key in sections[p]["keys"]}
        readings[form] = read_form(source, names, form, keys, base_keys, eager, bound)
    enums = {n: list(names.enums[n].values()) for r in readings.values() for n in r.used_enums()}
    v1 = read_v1(source, bound)
    if v1 is not None:
        reading, v1_section = v1
        sections["&v1"], forms["v1"], readings["v1"] = v1_section, ["&v1"], reading
        enums.update({n: list(reading.names.enums[n].values()) for n in reading.used_enums()})
    return {
        "sections": sections,
        "tables": {
            "requires": requirements(source), "templates": templates, "tool_formats": tools,
            **reader(source),
            **{f"form:{form}": parts for form, parts in forms.items()},
        },
        "checks": merge_forms({form: r.checks for form, r in readings.items()}),
        "bound": {n: e for r in readings.values() for n, e in r.used().items()},
        "settled": readings["train"].settled(),
        "enums": enums,
    }  # fmt: skip


def section(names: Names, owner: str) -> dict[str, Any]:
    """The keys of one dataclass."""
    fields = names.fields(owner)
    keys: dict[str, Any] = {}
    listable = {a.attr for a in listable_attributes(names, owner)}
    for field in fields.values():
        if not field.settable:
            continue
        types, choices = type_of(field.annotation, names)
        if field.name in listable:
            types = [*types, "list"]
        spec: dict[str, Any] = {"type": types[0] if len(types) == 1 else types}
        if choices:
            spec["choices"] = choices
        if field.required:
            spec["required"] = True
        keys[field.name] = spec | default_of(field, types)
    made: dict[str, Any] = {"unknown": "refuse", "keys": keys}
    derived = sorted(f.name for f in fields.values() if not f.settable)
    if derived:
        made["derived"] = derived
    return made


def listable_attributes(names: Names, owner: str) -> list[ast.Attribute]:
    """What `split_arg(self.x)` is called on: a list does as well as comma-separated text."""
    method = names.method(owner, "__post_init__")
    calls = [n for n in ast.walk(method) if isinstance(n, ast.Call)] if method else []
    return [
        a
        for c in calls
        if ast.unparse(c.func) == "split_arg"
        for a in c.args
        if isinstance(a, ast.Attribute)
    ]


def read_form(
    source: PackageSource,
    names: Names,
    form: str,
    keys: set[str],
    base_keys: set[str],
    eager: list[str],
    bound: dict[str, Expr],
) -> Reading:
    """The checks of one kind of file, in the order in which they are made."""
    functions = source.functions("llamafactory/hparams/parser.py")
    functions = {n: f for n, f in functions.items() if not n.startswith("_parse")}
    late = source.functions(*LATE_MODULES)
    reading = Reading(
        names, keys, HOLDERS, functions, base_keys=base_keys - keys if form == "train" else set(),
        assume={**CONTEXT, "parallel_mode": ["context", "parallel_mode"]}, special=special,
        bound=bound,
    )  # fmt: skip
    for part in FORMS[form]:
        if part in PARTS:
            reading.method(PARTS[part], "__post_init__")
    reading.function(ENTRY[form])
    early = len(reading.checks)
    reading.functions = {
        n: late[n] for n in late if n not in functions and not n.startswith("get_")
    }
    if form == "train":
        for entry in ("_training_function", "run_exp"):
            if "Unknown task" in ast.unparse(late.get(entry, ast.Pass())):
                reading.function(entry)
        galore, apollo = "$use_galore", ["and", ["not", "$use_galore"], "$use_apollo"]
        for prefix in ("_create", "create"):
            reading.function(f"{prefix}_galore_optimizer", ["@do_train", galore])
            reading.function(f"{prefix}_apollo_optimizer", ["@do_train", apollo])
            reading.function(f"{prefix}_badam_optimizer", ["@do_train", "$use_badam"])
        reading.function("run_sft", [["==", "$stage", "sft"]])
        ppo(source, reading)
        known, reading.functions = reading.functions, {"get_dataset": late["get_dataset"]}
        reading.function("get_dataset")
        reading.functions = known
        preference_and_packing(source, reading)
    if form == "export":
        reading.function("export_model")
    if form == "infer":
        engine = source.classes("llamafactory/chat/chat_model.py")
        method = Names(engine).method("ChatModel", "__init__")
        if method is not None:
            reading.read(method)
    if form in ("infer", "export"):
        names.enums["InferDtype"] = {v: v for v in DTYPES}
        says = "module 'torch' has no attribute '{}'"
        choice(reading, "infer_dtype", "InferDtype", True, says, "AttributeError")
    if form != "eval":
        reading.assume[PLAIN_MODEL] = True
        reading.function("configure_quantization")
        reading.function("configure_attn_implementation")
        del reading.assume[PLAIN_MODEL]
        reading.function("init_adapter", is_trainable="@do_train" if form == "train" else False)
        given = ["isnot", "$template", None]
        choice(reading, "template", "Templates", given, "Template {} does not exist.")
        reading.checks.append({
            "when": ["and", "$train_on_prompt", ["in", "$template", ["list", *eager]]],
            "error": "ValueError", "says": "Current template does not support `train_on_prompt`.",
        })  # fmt: skip
        if names.enums["ToolFormats"]:
            given = ["isnot", "$tool_format", None]
            choice(reading, "tool_format", "ToolFormats", given, "Tool utils `{}` not found.")
    for check in reading.checks[early:]:
        check["late"] = True
    return reading


def ppo(source: PackageSource, reading: Reading) -> None:
    """What the PPO trainer refuses when it is made and started."""
    begun = ["@do_train", ["==", "$stage", "ppo"]]
    reading.function("create_reward_model", begun)
    trainer = Names(source.classes("llamafactory/train/ppo/trainer.py"))
    held_out = ["or", ["isnot", "$eval_dataset", None], [">", "$val_size", 1e-6]]
    resume = reading.values.get("resume_from_checkpoint", "@resume_from_checkpoint")
    for method, local in (
        ("__init__", {"eval_dataset": ["if", held_out, "data", None]}),
        ("ppo_train", {"resume_from_checkpoint": resume}),
    ):
        node = trainer.method("CustomPPOTrainer", method)
        if node is not None:
            reading.read(node, begun, **local)


def choice(
    reading: Reading, key: str, enum: str, when: Expr, says: str, error: str = "ValueError"
) -> None:
    """Note that a key must be one of some names, where no enum of the package says so."""
    check: dict[str, Any] = {"tries": ["enum", f"${key}", enum], "error": error, "says": says}
    if when is not True:
        check["when"] = when
    reading.checks.append(check)


def preference_and_packing(source: PackageSource, reading: Reading) -> None:
    """What trainers and collators refuse at their first step."""
    names = reading.names
    several = ["and", ["isnot", "$dataset", None], [">", ["len", ["items", "$dataset"]], 1]]
    preference = ["and", "@do_train", ["==", "$stage", "dpo"]]
    for key, enum, when, says, error in (
        ("pref_loss", "PrefLoss", preference, "Unknown loss type: {}.", "NotImplementedError"),
        ("mix_strategy", "MixStrategy", several, "Unknown mixing strategy: {}.", "ValueError"),
    ):
        for part in ("FinetuningArguments", "DataArguments"):
            if key in names.fields(part):
                choices = type_of(names.fields(part)[key].annotation, names)[1] or []
                names.enums[enum] = {c: c for c in choices}
        choice(reading, key, enum, when, says, error)
    # datasets' train_test_split takes a share below one, or a number of samples
    whole = ["and", ["type", "$val_size", "float"], ["==", "$val_size", 1]]
    reading.checks.append({
        "when": ["and", ["isnot", "$dataset", None], ["not", "$streaming"], whole],
        "error": "ValueError",
        "says": "test_size=1.0 should be either positive and smaller than the number of samples",
    })  # fmt: skip
    if "bsz should be 1" in (source.text("llamafactory/data/collator.py") or ""):
        reading.checks.append({
            "when": ["and", "@do_train", "$neat_packing", ["==", "$flash_attn", "fa2"],
                     ["!=", "@per_device_train_batch_size", 1]],
            "error": "AssertionError", "says": "bsz should be 1 for neat packing",
        })  # fmt: skip


def special(node: ast.AST, reading: Reading) -> Expr:
    """What only LLaMA-Factory's source has.

    Of the model's own config nothing is known; where `PLAIN_MODEL` is assumed it counts as that of
    a plain model, neither quantised before nor of a type that is treated specially.
    """
    plain = reading.assume.get(PLAIN_MODEL, False)
    if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "config":
        return None if plain else ["?"]
    if isinstance(node, ast.Compare) and ast.unparse(node.left) == QUANTIZED:
        # of the method only this much is known: quantising while loading sets one
        given = ast.unparse(node) == f"{QUANTIZED} is not None"
        return ["if", QUANTIZING, True, ["?"]] if given else ["?"]
    if not isinstance(node, ast.Call):
        return MISSING
    if ast.unparse(node) == QUANTIZED:
        return ["if", QUANTIZING, True, ["?"]]
    name = ast.unparse(node.func)
    if name == "is_env_enabled" and node.args:
        return ["context", f"env:{reading.names.fold(node.args[0])}"]
    if name.rpartition(".")[2] == "set_seed":
        return ["seed", reading.expression(node.args[0])]
    if name == "BitsAndBytesConfig":
        options = {k.arg: reading.expression(k.value) for k in node.keywords}
        key = "bnb_4bit_use_double_quant"
        return ["flag", options[key]] if key in options else ["?"]
    if name == "split_arg":
        return ["items", reading.expression(node.args[0])]
    if name == "get_plugin_config":
        return ["plugin", reading.expression(node.args[0])]
    if name == "getattr" and ast.unparse(node.args[0]) in ("config", "model.config"):
        return reading.expression(node.args[2]) if plain and len(node.args) == 3 else ["?"]
    if name.startswith("is_transformers_version_greater_than"):
        return ["context", f"transformers>={reading.names.fold(node.args[0])}"]
    if name.startswith("is_torch_version_greater_than"):
        return True
    return MISSING


def merge_forms(checks: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The checks of all forms, each once, with the forms that make it."""
    made: dict[str, tuple[dict[str, Any], list[str]]] = {}
    for form, found in checks.items():
        for check in found:
            made.setdefault(json.dumps(check, sort_keys=True), (check, []))[1].append(form)
    return [{**check, "forms": forms} for check, forms in made.values()]


def read_v1(source: PackageSource, bound: dict[str, Expr]) -> tuple[Reading, dict[str, Any]] | None:
    """The keys and checks of the USE_V1=1 arguments, None where a release has none."""
    names = Names({})
    pieces: dict[str, Any] = {}
    for path, owner in zip(V1[1:], V1_PARTS, strict=True):
        # the modules reuse names of classes, so each is read beside the shared ones only
        own = Names(source.classes(*V1_SHARED, path))
        pieces.update(section(own, owner)["keys"])
        names.enums.update(own.enums)
    if not pieces:
        return None
    reading = Reading(names, set(pieces), HOLDERS, {}, special=special, bound=bound)
    for path, owner in zip(V1[1:], V1_PARTS, strict=True):
        reading.names = Names(source.classes(*V1_SHARED, path))
        reading.method(owner, "__post_init__")
        names.enums.update(reading.names.enums)
    reading.names = names
    return reading, {"unknown": "refuse", "keys": pieces}


def dataset_info(source: PackageSource) -> dict[str, Any]:
    """The keys that data/parser.py reads of an entry of dataset_info.json."""
    module = source.module("llamafactory/data/parser.py")
    text = ast.unparse(module)
    fields = Names(source.classes("llamafactory/data/parser.py")).fields("DatasetAttr")
    lists = re.findall(r"column_names(?: \+?= |\.extend\()\[([^\]]*)\]", text)
    columns = sorted(set(re.findall(r"'(\w+)'", " ".join(lists))))
    tags = sorted(set(re.findall(r"'(\w+_tag)'", text)) - set(columns))
    sources = sorted(
        set(re.findall(r"dataset_info\[name\]\['(\w+)'\]", text))
        | set(re.findall(r"'(\w+_url|cloud_file_name|file_name)'", text))
    )
    plain = sorted(set(re.findall(r"set_attr\('(\w+)', (?:attr|dataset_info\[name\])", text)))

    def keys(found: list[str]) -> dict[str, Any]:
        made = {}
        for name in found:
            spec: dict[str, Any] = {"type": "str"}
            if name in fields:
                types, choices = type_of(fields[name].annotation, Names({}))
                spec["type"] = types[0] if len(types) == 1 else types
                if choices:
                    spec["choices"] = choices
                if fields[name].default is not MISSING:
                    spec["default"] = fields[name].default
            made[name] = spec
        return made

    entry = keys(sources + plain)
    entry["columns"] = entry["tags"] = {"type": "mapping"}
    return {
        "@dataset_info": {"unknown": "ignore", "keys": entry},
        "@dataset_info.columns": {"unknown": "ignore", "keys": keys(columns)},
        "@dataset_info.tags": {"unknown": "ignore", "keys": keys(tags)},
    }


def template_names(source: PackageSource) -> tuple[list[str], list[str]]:
    """Registered chat templates, and those of them that end a turn eagerly (`efficient_eos`)."""
    found, eager = [], []
    for node in source.module("llamafactory/data/template.py").body:
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and ast.unparse(call.func) in (
            "register_template",
            "_register_template",
        ):
            options = {
                k.arg: ast.literal_eval(k.value)
                for k in call.keywords
                if isinstance(k.value, ast.Constant)
            }
            found.append(options["name"])
            if options.get("efficient_eos"):
                eager.append(options["name"])
    return sorted(found), sorted(eager)


def tool_formats(source: PackageSource) -> list[str]:
    """The names under which tool formats are known."""
    for node in source.module("llamafactory/data/tool_utils.py").body:
        if (
            isinstance(node, ast.Assign)
            and ast.unparse(node.targets[0]) == "TOOLS"
            and isinstance(node.value, ast.Dict)
        ):
            return sorted(str(k.value) for k in node.value.keys if isinstance(k, ast.Constant))
    return []


def requirements(source: PackageSource) -> list[str]:
    """The version ranges tested when the package is imported, as requirement lines."""
    text = source.text("llamafactory/extras/misc.py") or ""
    return sorted(
        set(re.findall(r'"((?:transformers|accelerate|peft|trl|datasets)[<>=!][^"\s]*)"', text))
    )


def reader(source: PackageSource) -> dict[str, list[Any]]:
    """How a config file is recognised and read."""
    text = source.text("llamafactory/hparams/parser.py") or ""
    suffixes = sorted(set(re.findall(r'endswith\("(\.\w+)"\)', text)))
    if "json.load(Path(" in text:
        suffixes.remove(".json")  # a Path has no read(): every JSON file fails
    return {
        "reader": ["omegaconf" if "OmegaConf.load(" in text else "pyyaml"],
        "suffixes": suffixes,
        "overrides": ["OmegaConf.from_cli" in text],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--version", help="add or renew one release")
    group.add_argument("--all", action="store_true", help=f"every release since {OLDEST}")
    options = parser.parse_args()
    base_keys = set(
        json.loads(TARGET.with_name("transformers.json").read_text())["sections"][""]["keys"]
    )
    releases: dict[str, Any] = {}
    wanted = [options.version]
    if options.all:
        wanted = [v for v in released("llamafactory") if order(v) >= order(OLDEST)]
    else:
        releases = expand(json.loads(TARGET.read_text(encoding="utf-8")))
    for version in wanted:
        releases[version] = describe(PackageSource.of_release("llamafactory", version), base_keys)
        keys = sum(len(s["keys"]) for s in releases[version]["sections"].values())
        print(version, keys, "keys", len(releases[version]["checks"]), "checks")
    write_with_checks("llamafactory", releases, TARGET, REPLACED)


if __name__ == "__main__":
    main()
