"""A DeepSpeed key that stands in the wrong section.

## What it flags

A key that DeepSpeed knows, in a place where it does not look for it: `offload_optimizer` beside
`zero_optimization` instead of inside it, `aio` inside instead of beside it. Keys of accelerate's
own YAML (`zero3_init_flag`, `zero3_save_16bit_model`, `deepspeed_config_file` ...) in a DeepSpeed
file are warnings, and so is a key that also stands in its own section, which is the one that counts.

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

from cfglint.deepspeed.config import configs_in
from cfglint.deepspeed.unknown import misplaced
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="DS002",
    name="ds-misplaced-key",
    severity=ERROR,
    summary="a DeepSpeed key in the wrong section",
    fix="safe",
    unsafe_too=True,
    kinds=("deepspeed", "llamafactory"),
    symptoms=(r"Extra inputs are not permitted",),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The misplaced keys of the configs in a document."""
    for config in configs_in(document, project):
        for objection in misplaced(config):
            yield objection.finding(RULE, document)
