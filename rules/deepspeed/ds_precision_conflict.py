"""Precision settings of a DeepSpeed config that exclude each other.

## What it flags

`fp16` and `bf16` both enabled; `amp` beside either or beside ZeRO (in releases that still have it);
keys of loss scaling in `bf16`, which has none. Both at "auto" is the template that the Hugging Face
trainer fills, and fine.

## Why it fails

    AssertionError: bfloat16 and fp16 modes cannot be simultaneously enabled
    Extra inputs are not permitted [type=extra_forbidden, ...]       (bf16.loss_scale, since 0.17.1)
    AssertionError: Amp and ZeRO are not currently compatible, please use (legacy) fp16 mode ...

## Example

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": { "stage": 2 },
      "fp16": { "enabled": true },
      "bf16": { "enabled": true }
    }

Repair: one of them.

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": { "stage": 2 },
      "bf16": { "enabled": true }
    }

## When to ignore it

Never, for what is enabled; loss-scale keys in bf16 are harmless before 0.17.1.
"""

from collections.abc import Iterator

from cfglint.deepspeed.config import configs_in
from cfglint.deepspeed.constraints import of_modes
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="DS004",
    name="ds-precision-conflict",
    severity=ERROR,
    summary="fp16, bf16 and amp against each other, or loss scaling in bf16",
    fix="safe",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(
        r"bfloat16 and fp16 modes cannot be simultaneously enabled",
        r"Amp and ZeRO are not currently compatible",
        r"Cannot enable both amp with \(legacy\) fp16 or bfloat16 mode",
    ),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The conflicts in the configs of a document."""
    for config in configs_in(document, project):
        for objection in of_modes(config):
            yield objection.finding(RULE, document)
