"""Batch sizes of a DeepSpeed config that do not multiply.

## What it flags

`train_batch_size` that is not `train_micro_batch_size_per_gpu` x `gradient_accumulation_steps` x
the number of processes, where a launch line or config tells that number; and where nothing tells
it, numbers that fit no number of processes. Also a config with none of the two batch sizes: every
reader needs one, and none fills in a key that is absent, except Lightning: a program beside the
config, or one that names it, that uses Lightning's strategy or writes the keys itself may fill it in.

A program that trains with model or pipeline parallelism has fewer data-parallel ranks than
processes; where that may be, only numbers that can never fit are reported.

## Why it fails

    AssertionError: Check batch related parameters. train_batch_size is not equal to
    micro_batch_per_gpu * gradient_acc_step * world_size 512 != 8 * 4 * 8

    AssertionError: Either train_batch_size or train_micro_batch_size_per_gpu needs to be provided

## Example

    {
      "train_batch_size": 100,
      "train_micro_batch_size_per_gpu": 8,
      "gradient_accumulation_steps": 4,
      "zero_optimization": { "stage": 2 }
    }

Repair: leave one of the three to DeepSpeed; it calculates what is missing.

    {
      "train_micro_batch_size_per_gpu": 8,
      "gradient_accumulation_steps": 4,
      "zero_optimization": { "stage": 2 }
    }

## When to ignore it

When the program changes the numbers before it calls DeepSpeed.

## References

DeepSpeed, runtime/config.py: `_set_batch_related_parameters`, `_batch_assertion`.
"""

from collections.abc import Iterator

from cfglint.deepspeed.batch import objections
from cfglint.deepspeed.config import configs_in
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="DS005",
    name="ds-batch-mismatch",
    severity=ERROR,
    summary="batch sizes that do not multiply to train_batch_size",
    fix="unsafe",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(
        r"Check batch related parameters\. train_batch_size is not equal",
        r"Either train_batch_size or train_micro_batch_size_per_gpu needs to be provided",
        r"(Micro batch size per gpu|Gradient accumulation steps): 0 has to be greater than 0",
        r"ds train_batch_size=(?P<value>\d+) vs hf train_batch_size",
    ),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The batch sizes of the configs in a document."""
    for config in configs_in(document, project):
        for objection in objections(config):
            yield objection.finding(RULE, document)
