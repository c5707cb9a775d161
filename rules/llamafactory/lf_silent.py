"""A setting that LLaMA-Factory takes and then does not honour.

## What it flags

- `quantization_bit` with a `quantization_method` that only pre-quantised weights know (or with
  `bitsandbytes`, which releases since 0.9.3 call `bnb`): the model is loaded unquantised.
- `master_addr` and `master_port` in the YAML: only Ray reads them; torchrun gets its own from the
  environment.
- `warmup_ratio` beside `warmup_steps`: one of them counts, and which one depends on transformers.
- `resume_from_checkpoint` for reward models and PPO with full or freeze tuning: it is dropped.

## Why it fails

Nothing fails: the run does something else than the file says, at most with a line in the log.

## Example

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset: identity
    output_dir: saves/qwen
    quantization_bit: 4
    quantization_method: bitsandbytes

Repair: the method's name in this release.

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset: identity
    output_dir: saves/qwen
    quantization_bit: 4
    quantization_method: bnb

## When to ignore it

When the weights are quantised already: `quantization_bit` has no effect on them, and can go.
"""

from collections.abc import Iterator

from cfglint.llamafactory.arguments import arguments
from cfglint.llamafactory.idle import idle
from cfglint.project import Project
from cfglint.rule import WARNING, Document, Finding, Rule

RULE = Rule(
    code="LF007",
    name="lf-silent",
    severity=WARNING,
    summary="a setting that LLaMA-Factory takes and does not honour",
    fix="safe",
    kinds=("llamafactory",),
    symptoms=(
        r"`quantization_bit` will not affect on the PTQ-quantized models",
        r"Cannot resume from checkpoint in current stage",
        r"Both warmup_ratio and warmup_steps given", r"warmup_ratio is deprecated",
    ),
)  # fmt: skip


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The settings without their effect."""
    given = arguments(document, project)
    for objection in idle(given) if given else ():
        yield objection.finding(RULE, document)
