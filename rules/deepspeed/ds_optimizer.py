"""An optimizer or scheduler that DeepSpeed cannot build.

## What it flags

- a type that is neither DeepSpeed's nor, spelt exactly, one of torch's;
- parameters that its class does not take (`learning_rate`, `max_grad_norm`), misses, or cannot
  calculate with (`"1e-4"` in quotes);
- ZeRO with an optimizer it was not tested with, unless `zero_allow_untested_optimizer` is true;
- a scheduler of torch's with ZeRO or half precision;
- a static loss scale with LAMB.

A section without a `type` is ignored by DeepSpeed: a warning. So is `max_grad_norm` where no reader
is known that builds the optimizer from the section. What is "auto" is the trainer's matter.

## Why it fails

    AssertionError: adamw_torch is not a supported DeepSpeed Optimizer
    AssertionError: DeepSpeed does not recognize LR scheduler CosineLR
    TypeError: FusedAdam.__init__() got an unexpected keyword argument 'learning_rate'
    TypeError: WarmupDecayLR.__init__() missing 1 required positional argument: 'total_num_steps'
    AssertionError: You are using an untested ZeRO Optimizer. ...
    TypeError: DeepSpeedZeroOptimizer is not an Optimizer

## Example

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": { "stage": 2 },
      "optimizer": { "type": "adamw_torch", "params": { "learning_rate": 1e-4 } }
    }

Repair: DeepSpeed's name of the optimizer, torch's of the parameter.

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": { "stage": 2 },
      "optimizer": { "type": "AdamW", "params": { "lr": 1e-4 } }
    }

## When to ignore it

When the program passes an optimizer of its own: DeepSpeed does not look at the section then.

## References

DeepSpeed, runtime/engine.py: `_configure_basic_optimizer`, `_do_optimizer_sanity_check`,
`_scheduler_from_config`; runtime/lr_schedules.py.
"""

from collections.abc import Iterator

from cfglint.deepspeed.config import configs_in
from cfglint.deepspeed.optimizers import objections
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="DS012",
    name="ds-optimizer",
    severity=ERROR,
    summary="an optimizer or scheduler that DeepSpeed cannot build",
    fix="safe",
    unsafe_too=True,
    kinds=("deepspeed", "llamafactory"),
    symptoms=(
        r"(?P<value>\w+) is not a supported DeepSpeed Optimizer",
        r"DeepSpeed does not recognize LR scheduler (?P<value>\w+)",
        r"You are using an untested ZeRO Optimizer",
        r"'max_grad_norm' is not supported as an optimizer parameter",
        r"got an unexpected keyword argument '(?P<key>learning_rate|total_num_steps|warmup_\w+)'",
        r"warmup_num_steps must be a positive integer, got (?P<value>\S+)",
        r"lamb optimizer requires dynamic loss scaling",
        r"zero stage \d requires an optimizer",
        r"DeepSpeedZeroOptimizer\w* is not an Optimizer",
    ),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The optimizers and schedulers of the configs in a document."""
    for config in configs_in(document, project):
        for objection in objections(config):
            yield objection.finding(RULE, document)
