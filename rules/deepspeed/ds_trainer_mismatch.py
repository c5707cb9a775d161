"""DeepSpeed values that differ from the trainer's own.

## What it flags

A value in a DeepSpeed config that the Hugging Face trainer compares with one of its arguments,
where the two differ: batch size, accumulation steps, gradient clipping, learning rate, betas, eps,
weight decay, fp16 and bf16. The argument comes from the LLaMA-Factory file that names the config
(with its defaults), or from the command line that does.

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

transformers, integrations/deepspeed.py: `fill_match`, `trainer_config_finalize`.
"""

from collections.abc import Iterator
from typing import Any

from cfglint.deepspeed_config import AUTO, DeepSpeedConfig, configs_in
from cfglint.deepspeed_use import TrainerValue, Use
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Related, Rule, edit, repair, resolve_alias
from cfglint.validate import spelled

RULE = Rule(
    code="DS007",
    name="ds-trainer-mismatch",
    severity=ERROR,
    summary="a DeepSpeed value that differs from the trainer's argument",
    fix="safe",
    kinds=("deepspeed", "llamafactory"),
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
    for config in configs_in(document, project):
        uses = [use for use in config.uses if use.compares]
        for path, (argument, how) in config.trainer_keys.items() if uses else ():
            if how != "match" or "calculated" in argument:
                continue
            found = next((f for use in uses if (f := _mismatch(config, use, path, argument))), None)
            if found is not None:
                yield found


def _mismatch(config: DeepSpeedConfig, use: Use, path: str, argument: str) -> Finding | None:
    entry, value = config.entry(path), config.known(path)
    if entry is None or value is None or isinstance(value, str):
        return None  # a string never equals the trainer's number: ds-type
    theirs = _theirs(use, argument)
    if theirs is None or value == theirs.value:
        return None
    name = argument.partition("|")[0].replace("+", ", ")
    related = [Related(theirs.document, theirs.span, name)] if theirs.span else []
    shown = _shown(theirs.value)
    default = "" if theirs.span else " (its default)"
    where = f"{theirs.document.path}:" if theirs.span else f"{theirs.document.path} "
    if theirs.span:
        where += str(theirs.document.source.position(theirs.span.start)[0])
    return RULE.finding(
        config.document,
        resolve_alias(entry.value).span,
        f"{path} is {_shown(value)} here; {where.strip()} has {name} {shown}{default}",
        cause=f"The trainer stops: ds {path}={value} vs hf {name}={theirs.value}.",
        fix=repair(
            'write "auto"',
            edit.set_value(config.document, resolve_alias(entry.value), AUTO),
            safe=True,
        ),
        related=related,
    )


def _theirs(use: Use, argument: str) -> TrainerValue | None:
    """The trainer's value: one argument, one of several that switch the same, or a list of two."""
    if "+" in argument:
        parts = [use.argument(name) for name in argument.split("+")]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        return TrainerValue([p.value for p in known], known[0].document, known[0].span)
    if "|" in argument:
        flags = [use.argument(name) for name in argument.split("|")]
        for flag in flags:
            if flag is not None and flag.value is True:
                return flag
        if flags[0] is None:  # the trainer refuses both together: one given is the other not
            other = use.argument({"fp16": "bf16", "bf16": "fp16"}.get(argument.split("|")[0], ""))
            on = other is not None and other.value is True
            return TrainerValue(False, other.document, other.span) if other and on else None
        return flags[0] if flags[0].value is False else None
    found = use.argument(argument)
    if found is None or isinstance(found.value, str):
        return None
    if argument == "warmup_steps":  # 0 leaves it to warmup_ratio; a fraction is one itself
        return found if isinstance(found.value, int) and found.value > 0 else None
    return found


def _shown(value: Any) -> str:
    return spelled(value) if not isinstance(value, float) else f"{value:g}"
