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

from cfglint.deepspeed_config import ABSENT, DeepSpeedConfig, configs_in
from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    INFO,
    WARNING,
    Document,
    Finding,
    Rule,
    Severity,
    resolve_alias,
)

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
        if config.stage is None or config.mapping("zero_optimization") is None:
            continue
        yield from _param(config, config.stage)
        yield from _optimizer(config, config.stage)
        yield from _stage3_keys(config, config.stage)


def _param(config: DeepSpeedConfig, stage: int) -> Iterator[Finding]:
    device = config.offload("param")
    path = "zero_optimization.offload_param"
    if device not in ("cpu", "nvme") or config.entry(path) is None:
        return
    if stage < 3:
        yield _at(
            config,
            path,
            f"parameters are offloaded at stage 3 only; this is stage {stage}",
            WARNING,
            "DeepSpeed ignores offload_param: the parameters stay on the GPU.",
            "Use stage 3, or take offload_param out.",
        )
    elif device == "nvme":
        yield from _nvme(config, path)


def _optimizer(config: DeepSpeedConfig, stage: int) -> Iterator[Finding]:
    device = config.offload("optimizer")
    path = "zero_optimization.offload_optimizer"
    if device not in ("cpu", "nvme") or config.entry(path) is None:
        return
    if stage == 0:
        yield _at(
            config,
            path,
            "the optimizer is offloaded from stage 1 on; this is stage 0",
            WARNING,
            "Nothing is offloaded; only the CPU version of Adam is taken.",
            "Use stage 1, 2 or 3, or take offload_optimizer out.",
        )
    elif device == "nvme" and stage < 3:
        yield _at(
            config,
            f"{path}.device",
            f"the optimizer goes to nvme at stage 3 only; at stage {stage} it goes to the CPU",
            WARNING,
            "The host's memory is used instead, without a message.",
            'Write "cpu", or use stage 3.',
        )
    elif device == "nvme":
        yield from _nvme(config, path)
    ratio = config.number(f"{path}.ratio")
    if ratio is not None and 0 <= ratio < 1 and stage != 3:
        yield _at(
            config,
            f"{path}.ratio",
            f"a part of the optimizer ({ratio:g}) can be offloaded at stage 3 only;"
            f" this is stage {stage}",
            ERROR,
            'DeepSpeed stops with "Partial offloading only supported for ZeRO Stage 3."',
            "Use stage 3, or take ratio out.",
        )


def _nvme(config: DeepSpeedConfig, path: str) -> Iterator[Finding]:
    if config.value(f"{path}.nvme_path") in (ABSENT, None):
        yield _at(
            config,
            f"{path}.device",
            f"{path} goes to nvme, but no nvme_path says where that is",
            ERROR,
            "DeepSpeed stops: nvme_path cannot be None.",
            "Give nvme_path, a folder on the NVMe device of every node.",
        )


def _stage3_keys(config: DeepSpeedConfig, stage: int) -> Iterator[Finding]:
    mapping = config.mapping("zero_optimization")
    if stage == 3 or mapping is None:
        return
    for name, entry in mapping.index.items():
        if name.startswith("stage3_") and "fp16" not in name:
            yield RULE.finding(
                config.document,
                entry.key.span,
                f"{name} counts at stage 3 only; this is stage {stage}",
                severity=INFO,
                cause="DeepSpeed ignores it.",
                help="Take it out, or use stage 3.",
            )


def _at(
    config: DeepSpeedConfig, path: str, message: str, severity: Severity, cause: str, help_: str
) -> Finding:
    entry = config.entry(path)
    assert entry is not None
    is_section = config.mapping(path) is not None
    node = entry.key if is_section else resolve_alias(entry.value)
    return RULE.finding(
        config.document, node.span, message, severity=severity, cause=cause, help=help_
    )
