"""Write schemas/transformers.json: what each release's TrainingArguments takes and refuses.

    python schemas/derive/transformers.py --all             every release since 4.41.2
    python schemas/derive/transformers.py --version 5.6.0   add or renew one release

The releases are read, not imported (their wheels are cached by package_source.py). Beside the
sections that shape.py describes the file has `checks` (see symbolic.py): each with the releases
that make it, as `since` and `until`; and `settled`: key -> what the key holds after
`__post_init__`, in the same form.
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
from expressions import conjoin
from package_source import MISSING, Field, Names, PackageSource, default_of, released, type_of
from shape import order
from symbolic import Reading

OLDEST = "4.41.2"  # the oldest one that a described LLaMA-Factory allows
TARGET = Path(__file__).parent.parent / "transformers.json"
MODULES = (
    "transformers/training_args.py",
    "transformers/training_args_seq2seq.py",
    "transformers/trainer_utils.py",
    "transformers/trainer_pt_utils.py",
    "transformers/debug_utils.py",
    "transformers/trainer_callback.py",
)
LOGGERS = "transformers/integrations/integration_utils.py"
ARGUMENTS = "Seq2SeqTrainingArguments"
AVAILABLE = {
    "is_torch_available": True,
    "is_accelerate_available": True,
    "is_safetensors_available": True,
    "is_kubeflow_available": False,  # only adds a logger, and only inside a Kubeflow TrainJob
}
REPLACED = {
    "adafactor": "optim: adafactor",
    "dataloader_persistent_worker": "dataloader_persistent_workers",
    "evaluation_strategy": "eval_strategy",
    "fp16_backend": "fp16",
    "fsdp_min_num_params": "fsdp_config.min_num_params",
    "fsdp_transformer_layer_cls_to_wrap": "fsdp_config.transformer_layer_cls_to_wrap",
    "group_by_length": "train_sampling_strategy",
    "half_precision_backend": "fp16",
    "include_inputs_for_metrics": "include_for_metrics",
    "include_tokens_per_second": "include_num_input_tokens_seen",
    "no_cuda": "use_cpu",
    "per_gpu_eval_batch_size": "per_device_eval_batch_size",
    "per_gpu_train_batch_size": "per_device_train_batch_size",
    "push_to_hub_model_id": "hub_model_id",
    "push_to_hub_token": "hub_token",
    "torchdynamo": "torch_compile_backend",
}
"""What to write instead of a key that newer releases refuse (from their migration notes)."""


def describe(source: PackageSource) -> dict[str, Any]:
    """One release: its keys as a section, its checks, and what it settles."""
    names = Names(source.classes(*MODULES))
    fields = names.fields(ARGUMENTS)
    keys: dict[str, Any] = {}
    for field in fields.values():
        if field.settable:
            keys[field.name] = attributes(field, names)
    before = re.search(r"is_torch_greater_or_equal_than_(\d+)_(\d+)", source.text(MODULES[0]) or "")
    if before and keys["optim"].get("default") == "adamw_torch_fused":
        keys["optim"]["default_before"] = {
            "torch": f"{before[1]}.{before[2]}",
            "value": "adamw_torch",
        }
    if "self.fsdp is True" in (source.text(MODULES[0]) or "") or "isinstance(self.fsdp, bool)" in (
        source.text(MODULES[0]) or ""
    ):
        keys["fsdp"]["type"] = ["bool", *keys["fsdp"]["type"]]
    reading = read_checks(source, names, set(fields))
    accelerator = names.fields("AcceleratorConfig")
    nested = {field.name: attributes(field, names) for field in accelerator.values()}
    return {
        "sections": {"": {"unknown": "refuse", "keys": keys},
                     "accelerator_config": {"unknown": "refuse", "keys": nested}},
        "checks": reading.checks,
        "bound": reading.used(),
        "settled": reading.settled(),
        "enums": {name: list(names.enums[name].values()) for name in reading.used_enums()},
    }  # fmt: skip


def attributes(field: Field, names: Names) -> dict[str, Any]:
    """A field's attributes as shape.py names them."""
    types, choices = type_of(field.annotation, names)
    if field.default is None and not field.required and not {"null", "any"} & set(types):
        types = [*types, "null"]  # whatever the annotation says: its own default is no mistake
    made: dict[str, Any] = {"type": types[0] if len(types) == 1 else types}
    if choices:
        made["choices"] = choices
    if field.required:
        made["required"] = True
    return made | default_of(field, types)


def read_checks(source: PackageSource, names: Names, keys: set[str]) -> Reading:
    """What `__post_init__` refuses, and what it makes of the values."""
    dict_fields = dict_valued(names)

    def special(node: ast.AST, reading: Reading) -> Any:
        if isinstance(node, ast.For):
            return special_loop(node, reading, dict_fields)
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name == "AcceleratorConfig.from_json_file":
                return ["?"]
            if name in ("HfTrainerDeepSpeedConfig", "HfDeepSpeedConfig") and node.args:
                return ["config", reading.expression(node.args[0])]
            if name == "strtobool" or name.startswith("os.environ"):
                return ["?"]
        return MISSING

    reading = Reading(
        names, keys, {"self"}, assume={**AVAILABLE, "framework": "pt"}, special=special
    )
    reading.method(ARGUMENTS, "__post_init__")
    if "ddp_timeout" in keys:
        reading.checks.append({"when": ["not", "$use_cpu"], "tries": ["seconds", "$ddp_timeout"]})
    early_stopping(reading)
    loggers = logger_names(source)
    if loggers:  # Trainer.__init__ looks each of them up
        names.enums["Loggers"] = {name: name for name in loggers}
        value = reading.values.get("report_to", "$report_to")
        says = f"{{}} is not supported, only {', '.join(loggers)} are supported."
        reading.checks.append(
            {
                "tries": ["enums", value, "Loggers"],
                "says": says,
                "error": "ValueError",
                "late": True,
            }
        )
    # a comparison that each optimizer makes when it is built
    positive = ["<=", 0.0, "$learning_rate"]
    reading.checks.append({"when": "$do_train", "tries": positive, "late": True})
    return reading


def early_stopping(reading: Reading) -> None:
    """What EarlyStoppingCallback asserts when training begins; LLaMA-Factory adds the callback
    where its `early_stopping_steps` is given."""
    begun = Reading(
        reading.names, reading.keys, {"args"}, values=dict(reading.values), bound=reading.bound
    )
    begun.method("EarlyStoppingCallback", "on_train_begin")
    for check in begun.checks:
        when = conjoin(["$do_train", ["isnot", "$early_stopping_steps", None], check["when"]])
        reading.checks.append({**check, "when": when, "late": True})


def logger_names(source: PackageSource) -> list[str]:
    """What `report_to` can name."""
    for node in source.module(LOGGERS).body:
        table = node.value if isinstance(node, ast.Assign) else None
        if isinstance(table, ast.Dict) and "INTEGRATION_TO_CALLBACK = " in ast.unparse(node):
            return sorted(str(k.value) for k in table.keys if isinstance(k, ast.Constant))
    return []


def dict_valued(names: Names) -> list[str]:
    """The keys that may hold a mapping as JSON text."""
    for node in names.lineage(ARGUMENTS):
        for statement in ast.walk(node):
            target = getattr(statement, "target", None) or next(
                iter(getattr(statement, "targets", [])), None
            )
            if isinstance(target, ast.Name) and target.id == "_VALID_DICT_FIELDS":
                found = names.fold(statement.value)  # type: ignore[attr-defined]
                return found if isinstance(found, list) else []
    for statement in names.constants.get("_VALID_DICT_FIELDS", []):
        return [str(statement)]
    return []


def special_loop(node: ast.For, reading: Reading, dict_fields: list[str]) -> Any:
    """The two loops of `__post_init__` that matter: JSON text in mappings, the fsdp_ prefix."""
    if "json.loads" in ast.unparse(node):
        for key in dict_fields:
            test = ["and", ["type", f"${key}", "str"], ["starts", f"${key}", "{"]]
            reading.checks.append({"when": test, "tries": ["json", f"${key}"]})
        return True
    if "fsdp_" in ast.unparse(node) and "startswith" in ast.unparse(node):
        held = reading.values.get("fsdp_config", "$fsdp_config")
        reading.values["fsdp_config"] = ["unprefixed", held, "fsdp_"]
        return True
    return MISSING


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--version", help="add or renew one release")
    group.add_argument("--all", action="store_true", help=f"every release since {OLDEST}")
    options = parser.parse_args()
    releases: dict[str, Any] = {}
    wanted = [options.version]
    if options.all:
        wanted = [v for v in released("transformers") if order(v) >= order(OLDEST)]
    else:
        releases = expand(json.loads(TARGET.read_text(encoding="utf-8")))
    for version in wanted:
        releases[version] = describe(PackageSource.of_release("transformers", version))
        keys = releases[version]["sections"][""]["keys"]
        print(version, len(keys), "keys", len(releases[version]["checks"]), "checks")
    write_with_checks("transformers", releases, TARGET, REPLACED)


if __name__ == "__main__":
    main()
