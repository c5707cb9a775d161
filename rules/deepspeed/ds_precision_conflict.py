"""Precision settings of a DeepSpeed config that exclude each other.

## What it flags

`fp16` and `bf16` both enabled; `amp` beside either or beside ZeRO (in releases that still have it);
keys of loss scaling in `bf16`, which has none. Both at "auto" is the template that the Hugging Face
trainer fills, and fine.

## Why it fails

    AssertionError: bfloat16 and fp16 modes cannot be simultaneously enabled
    Extra inputs are not permitted [type=extra_forbidden, ...]       (bf16.loss_scale, since 0.17.1)
    AssertionError: Amp and ZeRO are not currently compatible, please use (legacy) fp16 mode ...

## Example

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": { "stage": 2 },
      "fp16": { "enabled": true },
      "bf16": { "enabled": true }
    }

Repair: one of them.

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": { "stage": 2 },
      "bf16": { "enabled": true }
    }

## When to ignore it

Never, for what is enabled; loss-scale keys in bf16 are harmless before 0.17.1.
"""

from collections.abc import Iterator

from cfglint.deepspeed_config import FP16_ONLY, DeepSpeedConfig, configs_in
from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    WARNING,
    Document,
    Finding,
    Related,
    Rule,
    edit,
    repair,
    resolve_alias,
)

RULE = Rule(
    code="DS004",
    name="ds-precision-conflict",
    severity=ERROR,
    summary="fp16, bf16 and amp against each other, or loss scaling in bf16",
    fix="safe",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(
        r"bfloat16 and fp16 modes cannot be simultaneously enabled",
        r"Amp and ZeRO are not currently compatible",
        r"Cannot enable both amp with \(legacy\) fp16 or bfloat16 mode",
    ),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The conflicts in the configs of a document."""
    for config in configs_in(document, project):
        yield from _both(config)
        yield from _amp(config)
        yield from _loss_scaling(config)


def _both(config: DeepSpeedConfig) -> Iterator[Finding]:
    fp16, bf16 = config.entry("fp16.enabled"), config.entry(f"{config.bf16}.enabled")
    if fp16 is None or bf16 is None:
        return
    if config.flag("fp16.enabled") and config.flag(f"{config.bf16}.enabled"):
        first, second = sorted((fp16, bf16), key=lambda e: e.key.start)
        yield RULE.finding(
            config.document,
            resolve_alias(second.value).span,
            "fp16 and bf16 are both enabled",
            cause="DeepSpeed stops: bfloat16 and fp16 modes cannot be simultaneously enabled.",
            help="Enable one; bf16 where the GPUs have it (Ampere and newer).",
            related=[Related(config.document, resolve_alias(first.value).span, "the other one")],
        )


def _amp(config: DeepSpeedConfig) -> Iterator[Finding]:
    entry = config.entry("amp.enabled")
    section = config.section("amp")
    if entry is None or section is None or config.value("amp.enabled") is not True:
        return
    other = "ZeRO" if config.stage else config.precision
    if other in ("ZeRO", "fp16", "bf16"):
        yield RULE.finding(
            config.document,
            resolve_alias(entry.value).span,
            f"amp is enabled beside {other}; they exclude each other ({config.judged_by})",
            cause="DeepSpeed stops when it builds the engine.",
            help="Use fp16 or bf16 without amp.",
        )


def _loss_scaling(config: DeepSpeedConfig) -> Iterator[Finding]:
    for name in ("bf16", "bfloat16"):
        section, mapping = config.section(name), config.mapping(name)
        if section is None or mapping is None:
            continue
        for key, entry in mapping.index.items():
            if key not in FP16_ONLY or key in section.keys or config.is_auto(f"{name}.{key}"):
                continue
            yield RULE.finding(
                config.document,
                entry.key.span,
                f"{key} is a key of fp16; bf16 has no loss scaling ({config.judged_by})",
                severity=ERROR if section.refuses else WARNING,
                cause='DeepSpeed stops with "Extra inputs are not permitted".'
                if section.refuses
                else "This release ignores it; 0.17.1 and newer refuse it.",
                help="Take it out.",
                fix=repair(
                    f"take out {key}",
                    edit.remove_entry(config.document, mapping, entry),
                    safe=True,
                ),
            )
