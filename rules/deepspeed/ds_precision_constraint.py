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

from collections.abc import Iterator

from cfglint.deepspeed.config import configs_in
from cfglint.deepspeed.constraints import of_precision
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

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


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The unmet needs in the configs of a document."""
    for config in configs_in(document, project):
        for objection in of_precision(config):
            yield objection.finding(RULE, document)
