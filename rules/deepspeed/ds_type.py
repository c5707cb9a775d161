"""A DeepSpeed value of the wrong type, or none of those that are accepted.

## What it flags

A number or truth value in quotes where DeepSpeed calculates or compares with it, a word that is
none of the accepted ones, a number out of bounds, `null` or a plain value where a section belongs.
Strings that DeepSpeed converts by itself (`"true"` in `fp16.enabled`) are left alone, unless the
Hugging Face trainer reads the file too: it compares the value as it stands with its own. In
sections whose values DeepSpeed takes as they come, a wrong one is a warning: `"false"` counts as
true there. The words and numbers of `expert_parallel` are checked once it is enabled.

## Why it fails

    TypeError: '>' not supported between instances of 'str' and 'int'          (batch sizes)
    TypeError: '>' not supported between instances of 'str' and 'float'        (gradient_clipping)
    Input should be 'none', 'cpu' or 'nvme' [type=enum, input_value='CPU', input_type=str]
    TypeError: DeepSpeedFP16Config() argument after ** must be a mapping, not bool

and under the trainer the baffling

    ValueError: Please correct the following DeepSpeed config values that mismatch
    TrainingArguments values:
    - ds gradient_accumulation_steps=8 vs hf gradient_accumulation_steps=8

## Example

    {
      "train_micro_batch_size_per_gpu": 1,
      "gradient_accumulation_steps": "8",
      "zero_optimization": { "stage": 2, "offload_optimizer": { "device": "CPU" } }
    }

Repair: the number without quotes, the word as it is spelt.

    {
      "train_micro_batch_size_per_gpu": 1,
      "gradient_accumulation_steps": 8,
      "zero_optimization": { "stage": 2, "offload_optimizer": { "device": "cpu" } }
    }

## When to ignore it

When a program of your own converts the value before DeepSpeed sees it.

## References

DeepSpeed, runtime/config.py and the models it builds; transformers, integrations/deepspeed.py:
`fill_match`.
"""

from collections.abc import Iterator

from cfglint.deepspeed.config import configs_in
from cfglint.deepspeed.values import objections
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="DS003",
    name="ds-type",
    severity=ERROR,
    summary="a value of the wrong type, or none that DeepSpeed accepts",
    fix="safe",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(
        r"'>' not supported between instances of 'str' and '(int|float)'",
        r"unsupported operand type\(s\) for [/|%]+: 'str' and '(bool|str|int)'",
        r"argument after \*\* must be a mapping, not (?P<value>\w+)",
        r"Input should be a valid (integer|boolean|number|dictionary)",
        r"Invalid communication_data_type",
        r"invalid tag_validation value of (?P<value>\w+)",
        r"- ds (?P<key>\w+)=(?P<value>\S+) vs hf \w+=(?P=value)$",
        r"integer modulo by zero",
    ),
    yields_to=("DS005", "DS006", "DS010"),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The wrong values of the configs in a document."""
    for config in configs_in(document, project):
        for objection in objections(config):
            yield objection.finding(RULE, document)
