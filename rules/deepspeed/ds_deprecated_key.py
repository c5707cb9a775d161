"""A DeepSpeed key that newer releases have renamed or removed.

## What it flags

- a key that the deployed release refuses because what it switched on is gone (`amp`,
  `compression_training`, `sparse_gradients`, `zero_optimization.mics_shard_size`), even where it
  is switched off: an error, and a warning where the version is not known and an older one takes it;
- an old name that is still understood, with a warning in the log: `cpu_offload`,
  `stage3_gather_fp16_weights_on_model_save`, `"zero_optimization": true`;
- an old name that nothing reads any more: `aio.thread_count`, `seq_parallel_comm_data_type`.

## Why it fails

    deepspeed.runtime.config.DeepSpeedConfigError: NVIDIA Apex AMP integration has been removed. ...
    deepspeed.runtime.config.DeepSpeedConfigError: Elastic training has been removed; ...

## Example

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": { "stage": 2, "cpu_offload": true }
    }

Repair: what the key became.

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": { "stage": 2, "offload_optimizer": {"device": "cpu"} }
    }

## When to ignore it

When an older DeepSpeed reads the file too; `[versions]` in the settings says which one is deployed.

## References

deepspeedai/DeepSpeed#8489; runtime/config.py: `_reject_removed_config_keys`; the deprecated fields
of runtime/zero/config.py.
"""

from collections.abc import Iterator

from cfglint.deepspeed.config import configs_in
from cfglint.deepspeed.history import objections
from cfglint.project import Project
from cfglint.rule import WARNING, Document, Finding, Rule

RULE = Rule(
    code="DS008",
    name="ds-deprecated-key",
    severity=WARNING,
    summary="a key that newer DeepSpeed releases have renamed or removed",
    fix="safe",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(
        r"DeepSpeedConfigError: .* has been removed",
        r"Config parameter (?P<key>\w+) is deprecated",
        r"this format of ZeRO optimization setup is deprecated",
    ),
    yields_to=("DS015",),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The outdated keys of the configs in a document."""
    for config in configs_in(document, project):
        for objection in objections(config):
            yield objection.finding(RULE, document)
