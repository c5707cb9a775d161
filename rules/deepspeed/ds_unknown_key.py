"""A key that DeepSpeed does not know.

## What it flags

A key that the deployed DeepSpeed does not read: as an error in the sections that refuse unknown
keys (`zero_optimization` and what is in it, `fp16`, `bf16`, `comms_logger`, `tensorboard`, `wandb`,
`compile`, `tensor_parallel` ...), as a warning at the top and in the sections that ignore them.
Where the version is not known and another one knows the key, it is a warning. An ignored key is an
error too where the run cannot go on without it: a misspelt batch size, and under accelerate or the
Hugging Face trainer a misspelt `zero_optimization` or an "auto" that nobody fills in.

Remarks (`_comment`, `#...`), keys that accelerate or transformers read, and a value "auto" in a
section that drops it are left alone.

## Why it fails

    pydantic_core._pydantic_core.ValidationError: 1 validation error for DeepSpeedZeroConfig
    overlap_com
      Extra inputs are not permitted [type=extra_forbidden, input_value=True, input_type=bool]

At the top DeepSpeed says nothing: `zero_optimisation` trains without ZeRO. accelerate does, but not
what is wrong:

    ValueError: Please specify the ZeRO optimization config in the DeepSpeed config.

## Example

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": { "stage": 2, "overlap_com": true }
    }

Repair: the key's right name.

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": { "stage": 2, "overlap_comm": true }
    }

## When to ignore it

When a program of your own reads the key from the same file.

## References

DeepSpeed, runtime/config_utils.py: `DeepSpeedConfigModel` (extra="forbid"); runtime/config.py.
"""

from collections.abc import Iterator

from cfglint.deepspeed.config import configs_in
from cfglint.deepspeed.unknown import unknown
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="DS001",
    name="ds-unknown-key",
    severity=ERROR,
    summary="a key that DeepSpeed refuses or silently ignores",
    fix="safe",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(r"Extra inputs are not permitted", r"validation errors? for DeepSpeed\w*Config"),
    yields_to=("DS002", "DS004", "DS008", "DS009"),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The unknown keys of the configs in a document."""
    for config in configs_in(document, project):
        for objection in unknown(config):
            yield objection.finding(RULE, document)
