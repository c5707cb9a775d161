"""An "auto" that nobody fills in.

## What it flags

- "auto" in a config that DeepSpeed itself reads (`--deepspeed_config FILE`): only accelerate and
  the Hugging Face trainer know the word. Where DeepSpeed takes its default instead (no fp16, no
  ZeRO, no message) it is a warning.
- "auto" in a key that they do not fill either. Where no reader is known, it is an error if
  DeepSpeed itself cannot read the file, and a warning else.

## Why it fails

DeepSpeed keeps the word, or drops it:

    TypeError: '>' not supported between instances of 'str' and 'int'
    ValueError: warmup_num_steps must be a positive integer, got auto

accelerate and the trainer:

    ValueError: 'zero_optimization.overlap_comm' not found in kwargs. Please specify
    'zero_optimization.overlap_comm' without 'auto' (set to correct value) in the DeepSpeed config
    file or pass it in kwargs.

## Example

    {
      "train_batch_size": "auto",
      "train_micro_batch_size_per_gpu": "auto",
      "zero_optimization": { "stage": 2, "overlap_comm": "auto" }
    }

Repair: the key gone; its default is what "auto" was meant to be.

    {
      "train_batch_size": "auto",
      "train_micro_batch_size_per_gpu": "auto",
      "zero_optimization": { "stage": 2 }
    }

## When to ignore it

When a program of your own replaces the word before DeepSpeed sees it.

## References

accelerate, utils/dataclasses.py: `DeepSpeedPlugin.fill_match`; transformers,
integrations/deepspeed.py: `trainer_config_process`, `trainer_config_finalize`.
"""

from collections.abc import Iterator

from cfglint.deepspeed.autos import objections
from cfglint.deepspeed.config import configs_in
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="DS006",
    name="ds-auto-without-hf",
    severity=ERROR,
    summary='an "auto" that nobody fills in',
    fix="safe",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(
        r"'(?P<key>[\w.]+)' not found in kwargs\. Please specify",
        r"must be a positive integer, got auto",
    ),
    yields_to=("DS001", "DS009"),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The "auto" values of the configs in a document."""
    for config in configs_in(document, project):
        for objection in objections(config):
            yield objection.finding(RULE, document)
