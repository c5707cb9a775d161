"""One DeepSpeed setting under two names.

## What it flags

A key together with its other name (`prefetch_bucket_size` and `stage3_prefetch_bucket_size`), or an
old key together with the one that replaced it (`cpu_offload` and `offload_optimizer`).

## Why it fails

    pydantic_core._pydantic_core.ValidationError: 1 validation error for DeepSpeedZeroConfig
    prefetch_bucket_size
      Extra inputs are not permitted [type=extra_forbidden, ...]

    AssertionError: Cannot provide deprecated parameter 'cpu_offload' and replacing parameter
    'offload_optimizer' together

## Example

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": {
        "stage": 2,
        "cpu_offload": true,
        "offload_optimizer": { "device": "cpu" }
      }
    }

Repair: one of them.

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": {
        "stage": 2,
        "offload_optimizer": { "device": "cpu" }
      }
    }

## When to ignore it

Never: every release refuses it.
"""

from collections.abc import Iterator

from cfglint.deepspeed.config import configs_in
from cfglint.deepspeed.history import twice
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="DS015",
    name="ds-key-twice",
    severity=ERROR,
    summary="one DeepSpeed setting under two names",
    fix="unsafe",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(r"Cannot provide deprecated parameter '(?P<key>\w+)' and replacing parameter",),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The settings that a config names twice."""
    for config in configs_in(document, project):
        for objection in twice(config):
            yield objection.finding(RULE, document)
