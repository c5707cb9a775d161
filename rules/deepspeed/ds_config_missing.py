"""A DeepSpeed config that is not there.

## What it flags

A path in `deepspeed:` of a LLaMA-Factory file, `deepspeed_config_file` of an accelerate config, or
`--deepspeed` and `--deepspeed_config` of a command, where no such file exists under the folder of
the file that names it or any above, and something shows that it should: the folder of the path is
there, a file of nearly that name is, or other files that the same command names (with a folder in
their paths) are found from there. Absolute paths and variables are left alone, and commands that run in an image, on another
machine or in a folder that they change to. A file of another ZeRO stage than the name says
is no repair.

## Why it fails

    ValueError: Expected a string path to an existing deepspeed config, or a dictionary or a valid
    base64. Received: deepspeed.json
    binascii.Error: Incorrect padding

## Example

    === run.sh
    deepspeed --num_gpus=4 train.py --output_dir out --deepspeed ds_zero_3.json
    === train.py
    from transformers import TrainingArguments
    === ds_zero3.json
    { "train_micro_batch_size_per_gpu": "auto", "zero_optimization": { "stage": 3 } }

Repair: the name of a file that is there.

    === run.sh
    deepspeed --num_gpus=4 train.py --output_dir out --deepspeed ds_zero3.json

## When to ignore it

When the file is made before the launch, or the job starts in another folder.
"""

from collections.abc import Iterator

from cfglint.deepspeed.missing import MissingConfig, missing_configs
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Rule, repair

RULE = Rule(
    code="DS013",
    name="ds-config-missing",
    severity=ERROR,
    summary="a DeepSpeed config that is not there",
    fix="unsafe",
    symptoms=(
        r"Expected a string path to an existing deepspeed config",
        r"binascii\.Error: (Incorrect padding|Invalid base64)",
    ),
)


def check_project(project: Project) -> Iterator[Finding]:
    """Every reference to a DeepSpeed config that leads nowhere."""
    for missing in missing_configs(project):
        yield _finding(missing)


def _finding(missing: MissingConfig) -> Finding:
    path = missing.reference.path
    there = f"; {missing.near} is there" if missing.near else ""
    edit = missing.rename(missing.near) if missing.near else None
    return RULE.finding(
        missing.document,
        missing.reference.span,
        f"{path} does not exist{there}",
        cause='It stops with "Expected a string path to an existing deepspeed config".',
        help=f"Name {missing.near}." if missing.near else "Correct the path.",
        fix=repair(f"name {missing.near}", edit) if edit else None,
    )
