"""Keys beside `deepspeed_config_file` that accelerate refuses there.

## What it flags

With a DeepSpeed file named, the same things may not stand in the accelerate config as well:
`gradient_accumulation_steps`, `gradient_clipping`, `zero_stage`, the offload devices and paths
and `zero3_save_16bit_model` in `deepspeed_config`, and `mixed_precision` at the top. Their
presence counts, not their value: `mixed_precision: 'no'` is refused too. `zero3_init_flag`, the
hostfile, the multi-node launcher, filters and MoE names are fine.

## Why it fails

Every rank ends with

    ValueError: When using `deepspeed_config_file`, the following accelerate config variables will
    be ignored: ['gradient_accumulation_steps', 'gradient_clipping', 'zero_stage', ...

## Example

    === acc.yaml
    distributed_type: DEEPSPEED
    deepspeed_config:
      deepspeed_config_file: ds.json
      zero_stage: 2
    num_processes: 8
    === ds.json
    {"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2}}

Repair: what the DeepSpeed file says anyway is taken out. Where the two disagree there is no
automatic fix: say in the DeepSpeed file what is meant.

    === acc.yaml
    distributed_type: DEEPSPEED
    deepspeed_config:
      deepspeed_config_file: ds.json
    num_processes: 8

## When to ignore it

Never: the file cannot be launched.

## References

accelerate, utils/dataclasses.py: `DeepSpeedPlugin._deepspeed_config_checks`;
huggingface/accelerate#941.
"""

from collections.abc import Iterator
from typing import Any

from cfglint.accelerate_config import AccelerateConfig, config_of
from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    Document,
    Entry,
    Finding,
    Fix,
    Mapping,
    Related,
    Rule,
    edit,
    find,
    repair,
    to_data,
)

RULE = Rule(
    code="ACC003",
    name="acc-ds-overlap",
    severity=ERROR,
    summary="keys beside deepspeed_config_file that accelerate refuses there",
    fix="safe",
    kinds=("accelerate",),
    symptoms=(r"the following accelerate config variables will be ignored",),
    cause='Every rank ends with "the following accelerate config variables will be ignored".',
    help="Say it in the DeepSpeed file only.",
    yields_to=("ACC002", "SYN006"),
)
IN_FILE = {  # where the DeepSpeed file says the same
    "gradient_accumulation_steps": ("gradient_accumulation_steps",),
    "gradient_clipping": ("gradient_clipping",),
    "zero_stage": ("zero_optimization", "stage"),
    "offload_optimizer_device": ("zero_optimization", "offload_optimizer", "device"),
    "offload_optimizer_nvme_path": ("zero_optimization", "offload_optimizer", "nvme_path"),
    "offload_param_device": ("zero_optimization", "offload_param", "device"),
    "offload_param_nvme_path": ("zero_optimization", "offload_param", "nvme_path"),
    "zero3_save_16bit_model": (
        "zero_optimization",
        "stage3_gather_16bit_weights_on_model_save",
    ),
}


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """Each refused neighbour, at its line."""
    config = config_of(document, project)
    section = config.mapping("deepspeed_config") if config else None
    if config is None or section is None or config.type != "DEEPSPEED":
        return
    named = config.value("deepspeed_config", "deepspeed_config_file")
    if named is None or named == "none":
        return
    file = config.deepspeed_file(project)
    linked = file[1] if file else None
    for key in config.release.table("beside_deepspeed_config_file"):
        mapping = config.root if key == "mixed_precision" else section
        entry = mapping.entry(key)
        if entry is None or (mapping is config.root and to_data(entry.value) is None):
            continue
        yield _finding(config, mapping, entry, key, linked)


def _finding(
    config: AccelerateConfig, mapping: Mapping, entry: Entry, key: str, linked: Document | None
) -> Finding:
    fix: Fix | None = None
    why, related = "", []
    node = find(linked.root, *IN_FILE[key]) if linked and linked.root and key in IN_FILE else None
    if node is not None and linked is not None:
        related = [Related(linked, node.span, "what the DeepSpeed file says")]
    if linked is None or linked.root is None:
        why = "the DeepSpeed file is not here to compare with"
    elif _agrees(key, to_data(entry.value), linked):
        drop = edit.remove_entry(config.document, mapping, entry)
        fix = repair(f"Remove {key}, which {linked.path} says anyway", drop, safe=True)
    else:
        why = f"{linked.path} says something else"
    return RULE.finding(
        config.document,
        entry.key.span,
        f"{key} may not stand beside deepspeed_config_file",
        fix=fix,
        no_fix=why,
        related=related,
    )


def _agrees(key: str, value: Any, linked: Document) -> bool:
    if key == "mixed_precision":
        on = [t for t in ("fp16", "bf16") if _enabled(linked, t)]
        open_ = [t for t in ("fp16", "bf16") if _enabled(linked, t) is None]
        return not open_ and on == ([] if value == "no" else [value])
    node = find(linked.root, *IN_FILE[key])
    theirs = to_data(node) if node is not None else None
    if key.endswith("_device") and theirs is None:
        return value in ("none", None)
    return node is not None and str(theirs).lower() == str(value).lower()


def _enabled(linked: Document, precision: str) -> bool | None:
    """Whether a DeepSpeed file turns a precision on, None for "auto"."""
    node = find(linked.root, precision, "enabled")
    value = to_data(node) if node is not None else False
    return value if isinstance(value, bool) else None
