"""A value of the wrong type, or none of those that accelerate takes.

## What it flags

A value that the launch of this file looks at and that accelerate refuses (error), or takes for
something else than it says (warning). Values that this launch does not look at are left alone: a
`machine_rank` on one machine, FSDP's keys under DeepSpeed.

## Why it fails

accelerate checks nothing when it loads the file; the value meets the code that needs it:

    ValueError: 'multi_gpu' is not a valid DistributedType
    AttributeError: 'bool' object has no attribute 'lower'        (mixed_precision)
    AttributeError: 'int' object has no attribute 'split'         (gpu_ids)
    TypeError: 'str' object cannot be interpreted as an integer   (main_process_port)
    ValueError: Unknown mixed_precision mode: fp32. Choose between ['no', 'fp8', 'fp16', 'bf16'].
    ValueError: invalid truth value cpu                           (fsdp_offload_params)

## Example

    distributed_type: multi_gpu
    num_processes: 2
    gpu_ids: [0, 1]
    main_process_port: '29511'

Repair: the exact spelling, the comma list as a string, the port as a number.

    distributed_type: MULTI_GPU
    num_processes: 2
    gpu_ids: '0,1'
    main_process_port: 29511

## When to ignore it

When every launch overrides the value on the command line.

## References

accelerate, utils/launch.py: `prepare_multi_gpu_env`, `prepare_deepspeed_cmd_env`; the plugins in
utils/dataclasses.py.
"""

from collections.abc import Iterator
from typing import Any

from cfglint.accelerate_config import AccelerateConfig, config_of
from cfglint.accelerate_values import exception_of
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Fix, Rule, edit, repair
from cfglint.validate import Fault, described, spelled

RULE = Rule(
    code="ACC002",
    name="acc-value",
    severity=ERROR,
    summary="a value of the wrong type, or none of those that accelerate takes",
    fix="safe",
    kinds=("accelerate",),
    symptoms=(
        r"'(?P<value>\w+)' is not a valid (DistributedType|ComputeEnvironment)",
        r"Unknown mixed_precision mode: (?P<value>\w*)",
        r"Unknown dynamo backend: (?P<value>\w*)",
        r"Invalid auto wrap policy: (?P<value>\w*)",
        r"'(bool|list|int)' object has no attribute '(lower|upper|split)'",
        r"'(str|float)' object cannot be interpreted as an integer",
        r"invalid truth value (?P<value>\w*)",
        r"is not a valid ShardingStrategy",
        r"Could not find the transformer layer class",
    ),
    yields_to=("SYN006",),
)
SAME = {  # other names of the same thing
    "fp32": "no",
    "float32": "no",
    "none": "no",
    "float16": "fp16",
    "half": "fp16",
    "bfloat16": "bf16",
    "TPU": "XLA",
}


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The wrong values that matter to this launch, at the values."""
    config = config_of(document, project)
    if config is None:
        return
    given = config.options(project)
    for fault, refused in config.wrong_values():
        if fault.section.name in ("", "@sagemaker") and fault.key in given:
            continue
        yield _finding(config, fault, refused)
    yield from _spaced_classes(config)


def _finding(config: AccelerateConfig, fault: Fault, refused: bool) -> Finding:
    value, wanted = spelled(fault.value), fault.accepted
    if fault.kind in ("type", "length") and not isinstance(fault.value, (str, type(None))):
        said = f"{fault.path} is {described(fault.value)}"
        said += f" ({value})" if not isinstance(fault.value, (list, dict)) else ""
    else:
        said = (
            f"{fault.path} is {value!r}"
            if isinstance(fault.value, str)
            else f"{fault.path} is null"
        )
        said = said if isinstance(fault.value, (str, type(None))) else f"{fault.path} is {value}"
    if refused:
        text = exception_of(fault)
        ending = f'"{text}"' if text else "an exception where the value is used"
        cause = f"The launch ends with {ending} ({config.version})."
    elif fault.key == "debug":
        cause = "Any text turns debug mode on, 'no' included."
    else:
        cause = f"accelerate itself passes it on; what it sets up then fails ({config.version})."
    fix = _fix(config, fault)
    span = fault.node.span if fault.node.end > fault.node.start or fault.entry is None else None
    return RULE.finding(
        config.document,
        span or fault.entry.key.span,  # type: ignore[union-attr]
        f"{said}, not {wanted}" if wanted else said,
        severity=ERROR if refused and _is_sure(config, fault) else WARNING,
        cause=cause,
        help=_advice(config, fault, fix),
        fix=fix,
    )


def _advice(config: AccelerateConfig, fault: Fault, fix: Fix | None) -> str:
    """The repair, or the releases that know the value."""
    life = _life(config, fault)
    if life is not None:
        return f"accelerate {life[0]} to {life[1]} know it."
    return f"{fix.title}." if fix else f"Write {fault.accepted}." if fault.accepted else ""


def _is_sure(config: AccelerateConfig, fault: Fault) -> bool:
    """Whether no other release that may be deployed takes the value."""
    return config.version.pinned or _life(config, fault) is None


def _life(config: AccelerateConfig, fault: Fault) -> tuple[str, str] | None:
    """The first and last release that know a word which this one does not."""
    if not isinstance(fault.value, str):
        return None
    package = config.release.package
    return package.choice_life(fault.section.name, fault.key, fault.value)


def _fix(config: AccelerateConfig, fault: Fault) -> Fix | None:
    value, better = fault.value, fault.meant
    if fault.spec is not None and isinstance(value, str) and SAME.get(value) is not None:
        better = SAME[value] if fault.spec.fault(SAME[value]) is None else better
    if isinstance(value, list) and fault.key in ("gpu_ids", "fsdp_transformer_layer_cls_to_wrap"):
        better = ",".join(map(str, value)) if _are_words(value) else None
    if better is None or (fault.key == "gpu_ids" and "," not in str(better)):
        return None
    safe = _same(value, better) or isinstance(value, list) or SAME.get(str(value)) == better
    change = edit.set_value(config.document, fault.node, better)
    return repair(f"Write {spelled(better)}", change, safe=safe)


def _are_words(values: list[Any]) -> bool:
    return bool(values) and all(type(v) in (str, int) for v in values)


def _same(value: Any, better: Any) -> bool:
    """Whether two values say the same in another type or letter case."""
    if value is False:
        return str(better).lower() in ("no", "none")
    try:
        return float(value) == float(better)
    except (TypeError, ValueError):
        return str(value).strip().lower() == str(better).lower()


def _spaced_classes(config: AccelerateConfig) -> Iterator[Finding]:
    """`A, B`: the list is split at its commas only, so the blank becomes part of a name."""
    key = "fsdp_transformer_layer_cls_to_wrap"
    entry, value = config.entry("fsdp_config", key), config.value("fsdp_config", key)
    if entry is None or not isinstance(value, str) or not config.reads("fsdp_config", key):
        return
    names = [name.strip() for name in value.split(",")]
    if ",".join(names) != value:
        yield RULE.finding(
            config.document,
            entry.value.span,
            f"{key} has blanks between the names: they become part of a name",
            severity=WARNING,
            cause='"Could not find the transformer layer class" when the model is wrapped.',
            help=f"Write {','.join(names)}.",
            fix=repair(
                "Take the blanks out",
                edit.set_value(config.document, entry.value, ",".join(names)),
                safe=True,
            ),
        )
