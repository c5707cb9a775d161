"""Settings of a DeepSpeed config that hold at some ZeRO stages only.

Sources: DeepSpeed, runtime/zero/config.py, offload_config.py, stage_1_and_2.py and stage3.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.deepspeed.config import ABSENT, DeepSpeedConfig
from cfglint.model.tree import target
from cfglint.releases.objection import Objection
from cfglint.rule import ERROR, INFO, WARNING, Severity


def objections(config: DeepSpeedConfig) -> Iterator[Objection]:
    """The settings of a config that its stage does not have."""
    stage = config.stage
    if stage is not None and config.mapping("zero_optimization") is not None:
        yield from _param(config, stage)
        yield from _optimizer(config, stage)
        yield from _stage3_keys(config, stage)


def _param(config: DeepSpeedConfig, stage: int) -> Iterator[Objection]:
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


def _optimizer(config: DeepSpeedConfig, stage: int) -> Iterator[Objection]:
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


def _nvme(config: DeepSpeedConfig, path: str) -> Iterator[Objection]:
    if config.value(f"{path}.nvme_path") in (ABSENT, None):
        yield _at(
            config,
            f"{path}.device",
            f"{path} goes to nvme, but no nvme_path says where that is",
            ERROR,
            "DeepSpeed stops: nvme_path cannot be None.",
            "Give nvme_path, a folder on the NVMe device of every node.",
        )


def _stage3_keys(config: DeepSpeedConfig, stage: int) -> Iterator[Objection]:
    mapping = config.mapping("zero_optimization")
    if stage == 3 or mapping is None:
        return
    for name, entry in mapping.index.items():
        if name.startswith("stage3_"):
            yield Objection(
                entry.key.span,
                f"{name} counts at stage 3 only; this is stage {stage}",
                severity=INFO,
                cause="DeepSpeed ignores it.",
                help="Take it out, or use stage 3.",
            )


def _at(
    config: DeepSpeedConfig, path: str, message: str, severity: Severity, cause: str, help_: str
) -> Objection:
    entry = config.entry(path)
    assert entry is not None
    is_section = config.mapping(path) is not None
    node = entry.key if is_section else target(entry.value)
    return Objection(node.span, message, severity=severity, cause=cause, help=help_)
