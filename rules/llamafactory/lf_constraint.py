"""A combination of settings that LLaMA-Factory or transformers refuses.

## What it flags

Every combination that the deployed versions' own checks refuse and that the file (with the
DeepSpeed JSON it names) shows: quantisation with full tuning, `interleave_probs` without
interleaving, Unsloth under ZeRO-3, streaming without `max_steps`, an `eval_strategy` with nothing
to evaluate on, and some eighty more. The checks were read from the source of each release.

The same of flags on a command line (`llamafactory-cli train --stage sft ...`).

## Why it fails

The checks run when the arguments are parsed, on every rank, or when the stage, model or optimizer
is made. Each ends the run:

    ValueError: Quantization is only compatible with the LoRA or OFT method.
    ValueError: Unsloth is incompatible with DeepSpeed ZeRO-3.
    NotImplementedError: Unknown optim: adamw_torch_fused.

## Example

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: full
    template: qwen
    dataset: identity
    output_dir: saves/qwen
    use_dora: true

Repair: DoRA is a kind of LoRA; full tuning does without.

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: full
    template: qwen
    dataset: identity
    output_dir: saves/qwen
"""

from collections.abc import Iterator

from cfglint.llamafactory.arguments import arguments
from cfglint.llamafactory.flags import flags
from cfglint.llamafactory.objections import of_combinations
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Launch, Rule

RULE = Rule(
    code="LF003",
    name="lf-constraint",
    severity=ERROR,
    summary="a combination of settings that LLaMA-Factory refuses",
    fix="safe",
    kinds=("llamafactory",),
    symptoms=(
        r"is only compatible with the LoRA", r"is only valid for (the )?\w+ (method|training)",
        r"is incompatible with (DeepSpeed|`?streaming|S\^2)", r"cannot be set as True except SFT",
        r"Cannot (use|specify|create) .* (together|if|upon)", r"Unknown optim",
        r"At most one of fp16 and bf16", r"--load_best_model_at_end requires",
        r"Please make sure eval_dataset be provided", r"Please specify `max_steps` in streaming",
        r"bsz should be 1 for neat packing", r"only accepts [\d/]+.*bit",
    ),
    yields_to=("RUN006", "RUN007"),
)  # fmt: skip


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The combinations that the file's own checks refuse."""
    given = arguments(document, project)
    for objection in of_combinations(given) if given else ():
        yield objection.finding(RULE, document)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The combinations that are refused of flags on a command line."""
    given = flags(launch, project)
    for objection in of_combinations(given) if given else ():
        yield objection.finding(RULE, launch.document)
