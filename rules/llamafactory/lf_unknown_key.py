"""A key that the deployed LLaMA-Factory does not take.

## What it flags

A key of a LLaMA-Factory config that neither the deployed LLaMA-Factory nor the transformers under
it knows. Where the versions are not known and another one takes the key, it is a warning; so are
the keys of Megatron training, which exist only with USE_MCA=1 in the environment.

The same of flags on a command line (`llamafactory-cli train --stage sft ...`), unless several are
of no release: a fork takes these.

## Why it fails

The keys are the fields of LLaMA-Factory's argument classes and of transformers'
TrainingArguments. What is left over ends the run, on every rank, before the model is loaded:

    ValueError: Some keys are not used by the HfArgumentParser: ['max_seq_length']

Both packages rename and drop keys between releases (`evaluation_strategy`, `vllm_dtype`,
`group_by_length`), and a config for training has keys that one for chat or export refuses.

## Example

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset: identity
    output_dir: saves/qwen
    evaluation_strategy: "no"

Repair: the key's name in this version.

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset: identity
    output_dir: saves/qwen
    eval_strategy: "no"

## When to ignore it

When the job runs a fork with keys of its own, or with ALLOW_EXTRA_ARGS=1 set outside the
repository.
"""

from collections.abc import Iterator

from cfglint.llamafactory.arguments import arguments
from cfglint.llamafactory.flags import flags
from cfglint.llamafactory.objections import of_keys
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Launch, Rule

RULE = Rule(
    code="LF001",
    name="lf-unknown-key",
    severity=ERROR,
    summary="a key that the deployed LLaMA-Factory refuses",
    fix="safe",
    kinds=("llamafactory",),
    symptoms=(r"Some (keys|specified arguments) are not used by the HfArgumentParser",),
    yields_to=("RUN007",),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The keys that are left over."""
    given = arguments(document, project)
    for objection in of_keys(given) if given else ():
        yield objection.finding(RULE, document)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The flags that are left over."""
    given = flags(launch, project)
    for objection in of_keys(given) if given else ():
        yield objection.finding(RULE, launch.document)
