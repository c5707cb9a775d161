"""A key that has no effect where it stands.

## What it flags

- A key inside a section that accelerate does not know: sections are not checked, so raw
  DeepSpeed keys in `deepspeed_config`, misremembered names and the ones that `accelerate config`
  itself writes for FP8 (`amax_history_length`) reach nobody.
- A known key that nothing reads: `offload_optimizer_nvme_path`.
- A section of another `distributed_type`, or one that is no mapping: it is not read at all.
- `rdzv_backend`, `enable_cpu_affinity`, `downcast_bf16`, `tpu_use_sudo` in a file (information):
  the command line's default always wins. `same_network` changes nothing with the rendezvous that
  is left, and is not reported.

## Why

accelerate copies each key of a section onto the launcher option of that name and never asks
whether there is one; there is no error message. With `train_micro_batch_size_per_gpu: 2` in
`deepspeed_config` the job trains with another batch size than the file says.

## Example

    === acc.yaml
    distributed_type: DEEPSPEED
    deepspeed_config:
      train_micro_batch_size_per_gpu: 2
      zero_stage: 2
    num_processes: 8

Repair: DeepSpeed's own keys belong into a DeepSpeed file.

    === acc.yaml
    distributed_type: DEEPSPEED
    deepspeed_config:
      deepspeed_config_file: ds.json
    num_processes: 8
    === ds.json
    {"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2}}

## When to ignore it

When another program reads the key from this file.

## References

accelerate, commands/launch.py: `_validate_launch_command`; huggingface/accelerate#2298, #1463,
#3489.
"""

from collections.abc import Iterator

from cfglint.accelerate.config import config_of
from cfglint.accelerate.ignored import ignored
from cfglint.project import Project
from cfglint.rule import INFO, WARNING, Document, Finding, Rule, edit, repair

RULE = Rule(
    code="ACC004",
    name="acc-key-ignored",
    severity=WARNING,
    summary="a key that has no effect where it stands",
    fix="unsafe",
    kinds=("accelerate",),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """What the file says in vain, each at its key."""
    config = config_of(document, project)
    if config is None or config.is_sagemaker or not config.type:
        return
    for one in ignored(config, project):
        change = edit.rename_key(document, one.entry, one.better) if one.better else None
        yield RULE.finding(
            document,
            one.entry.key.span,
            one.message,
            severity=INFO if one.usual else WARNING,
            cause=f"accelerate launch never looks at it ({config.version}).",
            help=one.advice,
            fix=repair(f"rename {one.entry.name} to {one.better}", change),
        )
