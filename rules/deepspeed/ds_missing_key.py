"""A key without which DeepSpeed or its reader stops.

## What it flags

- no `zero_optimization` where accelerate or the Hugging Face trainer read the file; where no reader
  is known, but only they could read it for its "auto" values, too;
- curriculum learning without `curriculum_metrics`, dynamic batching without `max_tokens`, random
  layer-token drop without `total_layer_num`, elastic training (up to 0.19.7) without its batch sizes
  or beside fixed ones.

## Why it fails

    ValueError: Please specify the ZeRO optimization config in the DeepSpeed config.
    AssertionError: Curriculum learning is enabled, curriculum_metrics must be specified
    AssertionError: Dynamic batching is enabled, so max_tokens must be specified
    ElasticityConfigError: Elasticity config missing max_train_batch_size

## Example

    {
      "train_batch_size": "auto",
      "train_micro_batch_size_per_gpu": "auto",
      "bf16": { "enabled": "auto" }
    }

Repair: the section; stage 0 is ZeRO off.

    {
      "train_batch_size": "auto",
      "train_micro_batch_size_per_gpu": "auto",
      "bf16": { "enabled": "auto" },
      "zero_optimization": { "stage": 0 }
    }

## When to ignore it

When a program adds the key before it calls DeepSpeed.

## References

accelerate, utils/dataclasses.py: `DeepSpeedPlugin.__post_init__`; DeepSpeed,
runtime/data_pipeline/config.py, elasticity/config.py.
"""

from collections.abc import Iterator

from cfglint.deepspeed.config import configs_in
from cfglint.deepspeed.required import objections
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="DS017",
    name="ds-missing-key",
    severity=ERROR,
    summary="a key without which DeepSpeed or its reader stops",
    fix="unsafe",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(
        r"Please specify the ZeRO optimization config in the DeepSpeed config",
        r"Curriculum learning is enabled, curriculum_metrics must be specified",
        r"Dynamic batching is enabled, so max_tokens must be specified",
        r"Elasticity config missing (?P<key>\w+)",
    ),
    yields_to=("DS002", "DS008"),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The missing keys of the configs in a document."""
    for config in configs_in(document, project):
        for objection in objections(config):
            yield objection.finding(RULE, document)
