"""An FP8 backend that cannot go with the rest of the file.

## What it flags

With `mixed_precision: fp8`: MS-AMP under FSDP or with ZeRO stage 3; torchao under FSDP while
`fsdp_cpu_ram_efficient_loading` is on, which it is by default.

## Why it fails

    NotImplementedError: `accelerate` + `MS-AMP` + `FSDP` is not supported at this time.
    NotImplementedError: MS-AMP is not supported for ZeRO Stage 3. Please use ZeRO Stage 0, 1, or 2
    instead.
    ValueError: torchao with FSDP2 and cpu_ram_efficient_loading is not supported

## Example

    distributed_type: FSDP
    num_processes: 8
    mixed_precision: fp8
    fp8_config:
      backend: AO
    fsdp_config:
      fsdp_version: 2

Repair: turn the loading off that does not go with it.

    distributed_type: FSDP
    num_processes: 8
    mixed_precision: fp8
    fp8_config:
      backend: AO
    fsdp_config:
      fsdp_version: 2
      fsdp_cpu_ram_efficient_loading: false

## When to ignore it

Never: every rank stops.

## References

accelerate, accelerator.py: `Accelerator.__init__`; utils/dataclasses.py: `DeepSpeedPlugin`.
"""

from collections.abc import Iterator

from cfglint.accelerate.config import AccelerateConfig, config_of
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Fix, Rule, edit, repair

RULE = Rule(
    code="ACC013",
    name="acc-fp8",
    severity=ERROR,
    summary="an FP8 backend that cannot go with the rest of the file",
    fix="unsafe",
    kinds=("accelerate",),
    symptoms=(
        r"MS-AMP is not supported for ZeRO Stage 3",
        r"`MS-AMP` \+ `FSDP` is not supported",
        r"torchao with FSDP2 and cpu_ram_efficient_loading is not supported",
    ),
)
RAM = "fsdp_cpu_ram_efficient_loading"


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The backend that is refused, at its value."""
    config = config_of(document, project)
    entry = config.entry("fp8_config", "fp8_backend") if config else None
    if config is None or entry is None or not config.is_fp8:
        return
    backend = config.value("fp8_config", "fp8_backend")
    fix: Fix | None = None
    if backend == "MSAMP" and config.type == "FSDP":
        said = "MS-AMP does not work under FSDP"
    elif backend == "MSAMP" and config.zero_stage(project) == "3":
        said = "MS-AMP does not work with ZeRO stage 3"
    elif backend == "AO" and config.type == "FSDP" and config.truth("fsdp_config", RAM, True):
        said = f"torchao under FSDP needs {RAM}: false"
        fix = _turn_off(config)
    else:
        return
    yield RULE.finding(
        document,
        entry.value.span,
        said,
        cause=f"Accelerator() stops in every rank ({config.version}).",
        help="Choose another FP8 backend, or change the other side.",
        fix=fix,
    )


def _turn_off(config: AccelerateConfig) -> Fix | None:
    entry, mapping = config.entry("fsdp_config", RAM), config.mapping("fsdp_config")
    if entry is not None:
        return repair(f"set {RAM} to false", edit.set_value(config.document, entry.value, False))
    if mapping is None:
        return None
    return repair(f"add {RAM}: false", edit.insert_entry(config.document, mapping, RAM, False))
