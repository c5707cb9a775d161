"""DeepSpeed values that differ from the trainer's own.

## What it flags

A value in a DeepSpeed config that the Hugging Face trainer compares with one of its arguments,
where the two differ: batch size, accumulation steps, gradient clipping, learning rate, betas, eps,
weight decay, fp16 and bf16, the batch of all processes where their number is known, and the steps
of the training where `max_steps` tells them. The argument comes from the LLaMA-Factory file that names the config
(with its defaults), or from the command line that does. The same of what an accelerate config
without such a file says: `gradient_accumulation_steps`, `gradient_clipping`, `mixed_precision`.

## Why it fails

    ValueError: Please correct the following DeepSpeed config values that mismatch
    TrainingArguments values:
    - ds gradient_accumulation_steps=4 vs hf gradient_accumulation_steps=8
    The easiest method is to set these DeepSpeed config values to 'auto'.

## Example

    === train.yaml
    model_name_or_path: base
    stage: sft
    do_train: true
    finetuning_type: full
    template: qwen
    dataset: identity
    output_dir: out
    learning_rate: 1.0e-5
    gradient_accumulation_steps: 8
    deepspeed: ds.json
    === ds.json
    {
      "train_micro_batch_size_per_gpu": "auto",
      "gradient_accumulation_steps": 4,
      "zero_optimization": { "stage": 2 }
    }

Repair: "auto", which takes the trainer's value.

    === ds.json
    {
      "train_micro_batch_size_per_gpu": "auto",
      "gradient_accumulation_steps": "auto",
      "zero_optimization": { "stage": 2 }
    }

## When to ignore it

When the arguments are set anew by something outside the repository.

## References

transformers, integrations/deepspeed.py: `fill_match`, `trainer_config_finalize`,
`propagate_args_to_deepspeed`.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="DS007",
    name="ds-trainer-mismatch",
    severity=ERROR,
    summary="a DeepSpeed value that differs from the trainer's argument",
    fix="safe",
    unsafe_too=True,
    kinds=("deepspeed", "llamafactory", "accelerate"),
    symptoms=(
        r"correct the following DeepSpeed config values that mismatch TrainingArguments",
        r"- ds (?P<key>[\w.]+)=(?P<value>\S+) vs hf",
    ),
    cause="The trainer stops: Please correct the following DeepSpeed config values that mismatch"
    " TrainingArguments values.",
    help='Write "auto": the trainer fills in its own value.',
    yields_to=("DS003", "DS005"),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The compared values of the configs in a document."""
    # Imported here: to most of accelerate's configs this has nothing to say.
    if document.kind == "accelerate":
        from cfglint.accelerate.config import config_of

        ours = config_of(document, project)
        if ours is not None and ours.describes_deepspeed and project.users(document):
            from cfglint.accelerate import trainer

            for objection in trainer.objections(ours, project):
                yield objection.finding(RULE, document)
        return
    from cfglint.deepspeed.config import configs_in
    from cfglint.deepspeed.trainer import objections

    for config in configs_in(document, project):
        for objection in objections(config):
            yield objection.finding(RULE, document)
