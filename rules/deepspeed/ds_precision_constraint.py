"""Precision settings of a DeepSpeed config that need others which are not there.

## What it flags

- `fp16_master_weights_and_grads` and `bf16_master_weights_and_grads` without ZeRO, or without the
  optimizer offloaded to the CPU; `bf16_optimizer_states` without the latter;
- `data_types.grad_accum_dtype` that differs from the precision at stage 0, `data_types.param_dtype`
  that differs from it at all;
- `loss_scale_window` or `min_loss_scale` of 0 or less with dynamic loss scaling.

## Why it fails

    AssertionError: Bf16_master_weights_and_grads is only supported with ZeRO Stage 1, 2, or 3.
    AssertionError: Master weights feature requires ZeRO-2 Offload with DeepSpeedCPUAdam. ...
    NotImplementedError: unsupported mix of model_dtype=torch.bfloat16 and
    grad_accum_dtype=torch.float32
    AssertionError: data_types.param_dtype='bf16' conflicts with the enabled precision mode ...

## Example

    {
      "train_micro_batch_size_per_gpu": 1,
      "bf16": { "enabled": true },
      "data_types": { "grad_accum_dtype": "fp32" },
      "zero_optimization": { "stage": 0 }
    }

Repair: a ZeRO stage, which accumulates in another type.

    {
      "train_micro_batch_size_per_gpu": 1,
      "bf16": { "enabled": true },
      "data_types": { "grad_accum_dtype": "fp32" },
      "zero_optimization": { "stage": 1 }
    }

## When to ignore it

Never: the job ends when the engine is built.

## References

DeepSpeed, runtime/config.py: `_do_error_check`; runtime/engine.py: `_do_optimizer_sanity_check`;
runtime/base_optimizer.py: `_configure_master_weights`.
"""

from collections.abc import Callable, Iterator

from cfglint.deepspeed_config import DeepSpeedConfig, configs_in
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule, edit, repair, resolve_alias

RULE = Rule(
    code="DS016",
    name="ds-precision-constraint",
    severity=ERROR,
    summary="precision settings that need others which are not there",
    fix="safe",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(
        r"[Mm]aster_weights_and_grads is only supported with ZeRO",
        r"Master weights feature requires ZeRO.* Offload",
        r"bf16_optimizer_states requires bf16_master_weights_and_grads",
        r"unsupported mix of model_dtype=",
        r"conflicts with the enabled precision mode",
        r"must be > 0 when dynamic loss scaling is enabled",
        r"'(?P<value>\w+)' is not a valid DtypeEnum",
    ),
    yields_to=("DS001", "DS003"),
)
NAMES = {
    "half": "fp16", "float16": "fp16", "torch.float16": "fp16", "bfloat16": "bf16",
    "torch.bfloat16": "bf16", "float": "fp32", "float32": "fp32", "torch.float32": "fp32",
}  # fmt: skip
CHECKED_SCALING = "0.19.3"  # since then these are looked at before the first step
MASTER = {"fp16": "fp16_master_weights_and_grads", "bf16": "bf16_master_weights_and_grads"}


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The unmet needs in the configs of a document."""
    for config in configs_in(document, project):
        for path, check, help_ in CHECKS:
            entry = config.entry(path)
            reason = check(config) if entry is not None and config.knows(path) else None
            if entry is None or reason is None:
                continue
            mapping = config.mapping("data_types")
            fix = None
            if path == "data_types.param_dtype" and mapping is not None:
                removal = edit.remove_entry(document, mapping, entry)
                fix = repair("take param_dtype out: the precision decides", removal, safe=True)
            yield RULE.finding(
                document,
                resolve_alias(entry.value).span,
                f"{path}: {reason}",
                cause="DeepSpeed stops when it loads the config or builds the engine.",
                help=help_,
                fix=fix,
            )


def _master(section: str) -> Callable[[DeepSpeedConfig], "str | None"]:
    def check(config: DeepSpeedConfig) -> str | None:
        path = f"{section}.{MASTER[section]}"
        if config.flag(path) is not True:
            return None
        if config.stage == 0:
            return "it needs ZeRO; this is stage 0"
        states = config.flag("bf16.bf16_optimizer_states") if section == "bf16" else False
        if config.stage is not None and config.offload("optimizer") == "none" and states is False:
            return "it needs offload_optimizer with device cpu and Adam"
        return None

    return check


def _states(config: DeepSpeedConfig) -> str | None:
    if config.flag("bf16.bf16_optimizer_states") is not True:
        return None
    master = config.flag(f"bf16.{MASTER['bf16']}")
    return f"it needs {MASTER['bf16']}" if master is False else None


def _accumulation(config: DeepSpeedConfig) -> str | None:
    """At stage 0 gradients accumulate in the model's own precision, since 0.17.6 in bf16 too."""
    wanted = _dtype(config, "grad_accum_dtype")
    if wanted is None or config.stage != 0 or config.precision in (None, wanted):
        return None
    if config.precision == "bf16" and wanted == "fp32" and not config.since("0.17.6"):
        return None
    return f"{wanted} at stage 0, where the model is in {config.precision}"


def _parameters(config: DeepSpeedConfig) -> str | None:
    wanted = _dtype(config, "param_dtype")
    if wanted is None or config.precision in (None, wanted):
        return None
    return f"{wanted}, but the precision of the model is {config.precision}"


def _dtype(config: DeepSpeedConfig, key: str) -> str | None:
    section = config.section("data_types")
    value = config.known(f"data_types.{key}")
    known = section is not None and key in section.keys
    return NAMES.get(value, value) if known and isinstance(value, str) else None


def _scaling(key: str) -> Callable[[DeepSpeedConfig], "str | None"]:
    def check(config: DeepSpeedConfig) -> str | None:
        value = config.number(f"fp16.{key}")
        dynamic = config.known("fp16.loss_scale", 0) == 0 and config.flag("fp16.enabled")
        if not dynamic or not config.since(CHECKED_SCALING) or value is None or value > 0:
            return None
        return f"{value} with dynamic loss scaling"

    return check


CHECKS: tuple[tuple[str, Callable[[DeepSpeedConfig], "str | None"], str], ...] = (
    (f"fp16.{MASTER['fp16']}", _master("fp16"), "Offload the optimizer, or take it out."),
    (f"bf16.{MASTER['bf16']}", _master("bf16"), "Offload the optimizer, or take it out."),
    ("bf16.bf16_optimizer_states", _states, f"Set {MASTER['bf16']} too, or take it out."),
    ("data_types.grad_accum_dtype", _accumulation, "Use a ZeRO stage, or take it out."),
    ("data_types.param_dtype", _parameters, "Take it out."),
    ("fp16.loss_scale_window", _scaling("loss_scale_window"), "Write a positive number."),
    ("fp16.min_loss_scale", _scaling("min_loss_scale"), "Write a positive number."),
)
