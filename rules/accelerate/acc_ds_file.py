"""A `deepspeed_config_file` that accelerate cannot use.

## What it flags

An empty path, and a DeepSpeed file without a `zero_optimization` section. A file that is not
there is `ds-config-missing`'s, a section that is only misspelt or stands elsewhere in it
`ds-unknown-key`'s or `ds-misplaced-key`'s.

## Why it fails

    ValueError: Please specify the ZeRO optimization config in the DeepSpeed config.
    ValueError: Expected a string path to an existing deepspeed config, or a dictionary, ...

DeepSpeed itself takes such a file and trains without ZeRO; accelerate does not.

## Example

    === acc.yaml
    distributed_type: DEEPSPEED
    deepspeed_config:
      deepspeed_config_file: ds.json
    num_processes: 8
    === ds.json
    {"train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true}}

Repair: say it, stage 0 included. A `zero_stage` beside `deepspeed_config_file` says which.

    === ds.json
    {"bf16": {"enabled": true}, "train_micro_batch_size_per_gpu": 2,
     "zero_optimization": {"stage": 0}}

## When to ignore it

Never: every rank stops.

## References

accelerate, utils/dataclasses.py: `DeepSpeedPlugin.__post_init__`; utils/deepspeed.py:
`HfDeepSpeedConfig`.
"""

from collections.abc import Iterator

from cfglint.accelerate.config import config_of
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="ACC014",
    name="acc-ds-file",
    severity=ERROR,
    summary="a deepspeed_config_file that accelerate cannot use",
    fix="safe",
    kinds=("accelerate",),
    symptoms=(
        r"Please specify the ZeRO optimization config in the DeepSpeed config",
        r"Expected a string path to an existing deepspeed config",
    ),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The named file, at the place that names it."""
    config = config_of(document, project)
    key = "deepspeed_config_file"
    entry = config.entry("deepspeed_config", key) if config else None
    if config is None or entry is None or config.type != "DEEPSPEED":
        return
    if config.value("deepspeed_config", key) == "":
        yield RULE.finding(
            document,
            entry.span,
            f"{key} is empty",
            cause='Every rank ends with "Expected a string path to an existing deepspeed config".',
            help="Name the file, or take the key out.",
        )
        return
    from cfglint.accelerate.deepspeed import lacking_zero  # most files need none of it

    objection = lacking_zero(config, project)
    if objection is not None:
        yield objection.finding(RULE, document)
