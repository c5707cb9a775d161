"""A key on the command line, behind the config, that LLaMA-Factory refuses.

## What it flags

In `llamafactory-cli train CONFIG ...`, and where a launcher starts LLaMA-Factory with a config:

- `key=value` with a key that the deployed versions do not take, nor a copy of LLaMA-Factory in the tree;
- flags (`--lora_rank 8`) behind a config: only `key=value` is read there;
- anything behind the config in releases before 0.9.3, which then do not read the config at all.

## Why it fails

What stands behind the config is merged into it. A flag becomes a key of its own, dashes and all:

    ValueError: Some keys are not used by the HfArgumentParser: ['--lora_rank', '8']

Releases before 0.9.3 take a config for one only where it stands alone:

    ValueError: Please provide `model_name_or_path`.

## Example

    === train.yaml
    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset: identity
    output_dir: saves/qwen
    === run.sh
    llamafactory-cli train train.yaml learning_rat=2.0e-5

Repair: the key's name.

    === run.sh
    llamafactory-cli train train.yaml learning_rate=2.0e-5
"""

from collections.abc import Iterator

from cfglint.llamafactory.overrides import of_overrides
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule

RULE = Rule(
    code="LF011",
    name="lf-override",
    severity=ERROR,
    summary="a key behind the config on the command line that LLaMA-Factory refuses",
    fix="safe",
    symptoms=(r"Some keys are not used by the HfArgumentParser: \['--",),
    yields_to=("RUN006", "RUN007"),
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The words behind the config that a command names."""
    for objection in of_overrides(launch, project):
        yield objection.finding(RULE, launch.document)
