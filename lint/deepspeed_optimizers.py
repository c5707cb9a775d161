"""The optimizers and schedulers that a DeepSpeed config can name, and what their classes take.

Sources: DeepSpeed, runtime/engine.py (`_configure_basic_optimizer`, `_scheduler_from_config`),
runtime/lr_schedules.py.
"""

from __future__ import annotations

from typing import Any

from cfglint.deepspeed_config import DeepSpeedConfig
from cfglint.rule import near
from cfglint.schemadata import Section
from cfglint.validate import described

NAMES = {"adamw_torch": "AdamW", "adamw_hf": "AdamW", "adamw_torch_fused": "AdamW",
         "fusedadam": "Adam", "deepspeedcpuadam": "Adam", "cpuadam": "Adam"}  # fmt: skip
POSITIVE_STEPS = "0.19.3"  # since then a bad warmup_num_steps is refused, not mended


def types(config: DeepSpeedConfig, what: str) -> tuple[list[str], list[str]]:
    """DeepSpeed's own types and torch's."""
    release = config.release
    return list(release.table(f"{what}s")), list(release.table(f"torch_{what}s"))


def meant_type(value: str, own: list[str], torch: list[str], what: str) -> str | None:
    """The type that an unknown one was plainly meant to be, None where there is no telling."""
    if what == "optimizer" and value.lower() in NAMES:
        return NAMES[value.lower()]
    for name in [*torch, *own]:
        if name.lower() == value.lower():
            return name
    return near(value, [*torch, *own]) or near(value, torch)


def was_known(config: DeepSpeedConfig, what: str, name: str) -> bool:
    """Whether a release that the files leave possible has a type of that name."""
    package = config.release.package
    return any(
        name in package.at(v).table(f"{what}s") and config.version.may_be(v)
        for v in package.versions
    )


def parameters(config: DeepSpeedConfig, what: str) -> Section | None:
    """The parameters of the class that the type stands for, None where that is not known."""
    name = config.optimizer if what == "optimizer" else config.known("scheduler.type")
    if not isinstance(name, str):
        return None
    if what == "optimizer" and name in ("adam", "adamw", "adagrad", "lion"):
        name = "adam" if name == "adamw" else name
        device = config.offload("optimizer")
        if name == "adam" and config.known("optimizer.params.torch_adam") is True:
            name = "adam:torch"
        elif device in ("cpu", "nvme"):
            name = f"{name}:offload"
        elif device is None:
            return None
    return config.section(f"{what}.params@{name}")


def wrong_value(
    config: DeepSpeedConfig, what: str, name: str, fault: str | None, value: Any
) -> str:
    """What is wrong with a parameter's value, in words; "" where nothing is."""
    if name == "warmup_num_steps" and config.since(POSITIVE_STEPS):
        whole = isinstance(value, int) or (_is_integral(value) and config.hf_use is None)
        if not whole or value <= 0:
            return f"{value!r}: a positive whole number is wanted ({config.judged_by})"
        return ""
    if fault == "type" and isinstance(value, list) and what == "scheduler" and name.endswith("_lr"):
        return ""  # one for each parameter group
    if fault == "type" and not isinstance(value, (bool, dict)):
        return f"{described(value)}; a number is wanted"
    if fault == "length":
        return f"a list of {len(value)}"
    return ""


def _is_integral(value: Any) -> bool:
    """hjson reads 10.0 as a whole number; json, for accelerate and the trainer, does not."""
    return isinstance(value, float) and value.is_integer()


def number_in(value: Any) -> float | int | None:
    """The number that a string spells or a float is, None where it is none."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return int(value) if value.strip().isdigit() else number
