"""A `deepspeed_config_file` that accelerate cannot use.

## What it flags

An empty path, and a DeepSpeed file without a `zero_optimization` section. A file that is not
there is `ds-config-missing`'s.

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

Repair: say it, stage 0 included.

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

from cfglint.accelerate_config import config_of
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Mapping, Related, Rule, edit, repair

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
    file = config.deepspeed_file(project)
    root = file[1].root if file else None
    if file is None or not isinstance(root, Mapping) or file[1].problems:
        return
    reference, linked = file
    if "zero_optimization" not in root:
        stage = edit.insert_entry(linked, root, "zero_optimization", {"stage": 0})
        yield RULE.finding(
            document,
            reference.span,
            f"{linked.path} has no zero_optimization section",
            cause='Every rank ends with "Please specify the ZeRO optimization config".',
            help="Add zero_optimization to it; stage 0 is no ZeRO.",
            fix=repair(f"Add stage 0 to {linked.path}", stage, safe=True),
            related=[Related(linked, root.span, "the DeepSpeed file")],
        )
