"""ZeRO settings that DeepSpeed refuses together.

## What it flags

- `prescale_gradients` or a `gradient_predivide_factor` other than 1 with stage 2 or 3 and
  `reduce_scatter` (on by default);
- `legacy_stage1`, an odd `allgather_bucket_size` at stage 1 or 2;
- `compute_grad_norm: false` outside stage 1 and 2, with gradient clipping (on by default since
  0.19.3), ZenFlow or an offloaded optimizer;
- `gradient_allreduce_op: sum` with stage 3, ZenFlow or DeepCompile;
- the Muon optimizer at stage 3 with `reduce_scatter`;
- `zenflow` without an offloaded optimizer, or with an interval that its strategy does not take;
- `managed_gradient_accumulation: false` with `overlap_comm` below stage 2;
- `compile` offloads that exclude each other.

## Why it fails

    AssertionError: pre-scale gradients is not yet supported with ZeRO-2 with reduce scatter enabled
    Exception: The deprecated version of ZeRO Stage 1 is not supported in deepspeed >= 0.5.9. ...
    ValueError: zero_optimization.compute_grad_norm=false requires gradient_clipping=0
    ValueError: gradient_allreduce_op='sum' is not supported with ZeRO stage 3
    ValueError: Muon and reduce scatter cannot be used together
    ValueError: Zenflow must be used with cpu offload

## Example

    {
      "train_micro_batch_size_per_gpu": 1,
      "prescale_gradients": true,
      "zero_optimization": { "stage": 2 }
    }

Repair: one of the two.

    {
      "train_micro_batch_size_per_gpu": 1,
      "prescale_gradients": true,
      "zero_optimization": { "stage": 2, "reduce_scatter": false }
    }

## When to ignore it

Never: the job ends when the engine is built.

## References

DeepSpeed, runtime/zero/stage_1_and_2.py, runtime/zero/stage3.py, runtime/config.py:
`_do_error_check`, runtime/zenflow/, compile/init_z3.py.
"""

from collections.abc import Iterator

from cfglint.deepspeed.config import configs_in
from cfglint.deepspeed.constraints import of_zero
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="DS014",
    name="ds-zero-constraint",
    severity=ERROR,
    summary="ZeRO settings that DeepSpeed refuses together",
    fix="safe",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(
        r"pre-scale gradients is not yet supported with ZeRO",
        r"gradient_predivide_factor != 1\.0 is not yet supported",
        r"deprecated version of ZeRO Stage 1 is not supported",
        r"compute_grad_norm=false (requires|does not support|is supported only)",
        r"gradient_allreduce_op='sum' is not supported",
        r"Muon and reduce scatter cannot be used together",
        r"Zenflow must be used with cpu offload",
    ),
    yields_to=("DS001", "DS003"),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The refused combinations in the configs of a document."""
    for config in configs_in(document, project):
        for objection in of_zero(config):
            yield objection.finding(RULE, document)
