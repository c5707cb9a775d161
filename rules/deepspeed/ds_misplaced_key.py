"""A DeepSpeed key that stands in the wrong section.

## What it flags

A key that DeepSpeed knows, in a place where it does not look for it: `offload_optimizer` beside
`zero_optimization` instead of inside it, `aio` inside instead of beside it. Keys of accelerate's
own YAML (`zero3_init_flag`, `zero3_save_16bit_model`, `deepspeed_config_file` ...) in a DeepSpeed
file are warnings.

## Why it fails

Inside a section that refuses unknown keys:

    pydantic_core._pydantic_core.ValidationError: 1 validation error for DeepSpeedZeroConfig
    aio
      Extra inputs are not permitted [type=extra_forbidden, ...]

Anywhere else DeepSpeed says nothing and does nothing: nothing is offloaded, ZeRO stays off.

## Example

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": {
        "stage": 2
      },
      "offload_optimizer": {
        "device": "cpu"
      }
    }

Repair: the key in its section.

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": {
        "stage": 2,
        "offload_optimizer": {
          "device": "cpu"
        }
      }
    }

## When to ignore it

When a program of your own moves the key to its place.
"""

from collections.abc import Iterator

from cfglint.deepspeed_config import FP16_ONLY, DeepSpeedConfig, configs_in
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Fix, Rule, edit, repair
from cfglint.validate import Fault

RULE = Rule(
    code="DS002",
    name="ds-misplaced-key",
    severity=ERROR,
    summary="a DeepSpeed key in the wrong section",
    fix="safe",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(r"Extra inputs are not permitted",),
)
# Keys of accelerate's deepspeed_config section, and what a DeepSpeed file has for them.
ACCELERATE = {
    "zero3_init_flag": "",
    "zero3_save_16bit_model": "zero_optimization.stage3_gather_16bit_weights_on_model_save",
    "zero_stage": "zero_optimization.stage",
    "offload_optimizer_device": "zero_optimization.offload_optimizer.device",
    "offload_param_device": "zero_optimization.offload_param.device",
    "deepspeed_config_file": "",
    "deepspeed_multinode_launcher": "",
    "deepspeed_hostfile": "",
    "distributed_type": "",
    "mixed_precision": "fp16 or bf16",
}


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The misplaced keys of the configs in a document."""
    for config in configs_in(document, project):
        for fault in config.unknown():
            home = config.home(fault)
            if fault.key in FP16_ONLY and fault.section.name in ("bf16", "bfloat16"):
                continue  # ds-precision-conflict
            if home is not None:
                yield _finding(config, fault, home)
            elif fault.key in ACCELERATE and not fault.section.refuses:
                yield _of_accelerate(config, fault)


def _finding(config: DeepSpeedConfig, fault: Fault, home: str) -> Finding:
    assert fault.entry is not None
    here = f"inside {fault.section.name}" if fault.section.name else "at the top"
    belongs = f"inside {home}" if home else "at the top of the file"
    if fault.section.refuses:
        cause = 'DeepSpeed stops with "Extra inputs are not permitted".'
    else:
        cause = "DeepSpeed ignores it there without a word: the job runs as if it were not set."
    return RULE.finding(
        config.document,
        fault.entry.key.span,
        f"{fault.key} stands {here}; it belongs {belongs}",
        cause=cause,
        help=f"Move it {'into ' + home if home else 'to the top of the file'}.",
        fix=_fix(config, fault, home),
    )


def _of_accelerate(config: DeepSpeedConfig, fault: Fault) -> Finding:
    assert fault.entry is not None
    instead = ACCELERATE[fault.key]
    return RULE.finding(
        config.document,
        fault.entry.key.span,
        f"{fault.key} is a key of accelerate's own config; a DeepSpeed file has no such key",
        severity=WARNING,
        cause="DeepSpeed ignores it without a word.",
        help=f"Use {instead} here." if instead else "It belongs into the accelerate YAML.",
    )


def _fix(config: DeepSpeedConfig, fault: Fault, home: str) -> Fix | None:
    """Out of the one place, into the other, where that exists and has no such key yet."""
    origin, goal = config.mapping(fault.section.name), config.mapping(home)
    section = config.section(home)
    if origin is None or goal is None or section is None or fault.entry is None:
        return None
    if section.keys[fault.key].fault(fault.value) is not None or fault.key in goal:
        return None
    if goal.start <= fault.entry.key.start < goal.end and home:
        return None
    return repair(
        f"move it {'into ' + home if home else 'to the top'}",
        edit.remove_entry(config.document, origin, fault.entry),
        edit.insert_entry(config.document, goal, fault.key, fault.value),
        safe=True,
    )
