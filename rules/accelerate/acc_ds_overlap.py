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

from cfglint.accelerate.config import config_of
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

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


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """Each refused neighbour, at its line."""
    config = config_of(document, project)
    if config is None or config.type != "DEEPSPEED":
        return
    from cfglint.accelerate.deepspeed import doubled  # most files need none of it

    for objection in doubled(config, project):
        yield objection.finding(RULE, document)
