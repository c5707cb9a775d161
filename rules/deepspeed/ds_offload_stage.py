"""Offloading and ZeRO-3 settings that do nothing at this ZeRO stage.

## What it flags

- `offload_param` below stage 3, `offload_optimizer` at stage 0: nothing is offloaded (warning);
- `offload_optimizer` to nvme at stage 1 or 2: it goes to the CPU instead (warning);
- `nvme` at stage 3 without `nvme_path`, and `ratio` below 1 below stage 3 (errors);
- `stage3_*` keys below stage 3 (info: they are ignored, and often kept on purpose).

## Why it fails

    AssertionError: "nvme_path" in DeepSpeed Config cannot be None if remote device is
    OffloadDeviceEnum.nvme
    TypeError: expected str, bytes or os.PathLike object, not NoneType
    Assertion failed, Partial offloading only supported for ZeRO Stage 3.

The others are silent: the memory that was to be saved is used.

## Example

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": {
        "stage": 3,
        "offload_param": { "device": "nvme" }
      }
    }

Repair: the path of the NVMe device.

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": {
        "stage": 3,
        "offload_param": { "device": "nvme", "nvme_path": "/local_nvme" }
      }
    }

## When to ignore it

When one file serves several stages and a program writes the stage into it.
"""

from collections.abc import Iterator

from cfglint.deepspeed.config import configs_in
from cfglint.deepspeed.offload import objections
from cfglint.project import Project
from cfglint.rule import WARNING, Document, Finding, Rule

RULE = Rule(
    code="DS010",
    name="ds-offload-stage",
    severity=WARNING,
    summary="offloading or stage-3 settings that do nothing at this ZeRO stage",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(
        r"nvme_path.* in DeepSpeed Config cannot be None",
        r"Partial offloading only supported for ZeRO Stage 3",
    ),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The stage-bound settings of the configs in a document."""
    for config in configs_in(document, project):
        for objection in objections(config):
            yield objection.finding(RULE, document)
