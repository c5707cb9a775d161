"""A key that DeepSpeed does not know.

## What it flags

A key that the deployed DeepSpeed does not read: as an error in the sections that refuse unknown
keys (`zero_optimization` and what is in it, `fp16`, `bf16`, `comms_logger`, `tensorboard`, `wandb`,
`compile`, `tensor_parallel` ...), as a warning at the top and in the sections that ignore them.
Where the version is not known and another one knows the key, it is a warning. An ignored key is an
error too where the run cannot go on without it: a misspelt batch size, and under accelerate or the
Hugging Face trainer a misspelt `zero_optimization` or an "auto" that nobody fills in.

Remarks (`_comment`, `#...`), keys that accelerate or transformers read, and a value "auto" in a
section that drops it are left alone.

## Why it fails

    pydantic_core._pydantic_core.ValidationError: 1 validation error for DeepSpeedZeroConfig
    overlap_com
      Extra inputs are not permitted [type=extra_forbidden, input_value=True, input_type=bool]

At the top DeepSpeed says nothing: `zero_optimisation` trains without ZeRO. accelerate does, but not
what is wrong:

    ValueError: Please specify the ZeRO optimization config in the DeepSpeed config.

## Example

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": { "stage": 2, "overlap_com": true }
    }

Repair: the key's right name.

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": { "stage": 2, "overlap_comm": true }
    }

## When to ignore it

When a program of your own reads the key from the same file.

## References

DeepSpeed, runtime/config_utils.py: `DeepSpeedConfigModel` (extra="forbid"); runtime/config.py.
"""

from collections.abc import Iterator

from cfglint.deepspeed_config import FP16_ONLY, DeepSpeedConfig, configs_in
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Fix, Rule, Severity, edit, repair
from cfglint.validate import Fault

RULE = Rule(
    code="DS001",
    name="ds-unknown-key",
    severity=ERROR,
    summary="a key that DeepSpeed refuses or silently ignores",
    fix="safe",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(r"Extra inputs are not permitted", r"validation errors? for DeepSpeed\w*Config"),
    yields_to=("DS002", "DS004", "DS008", "DS009"),
)

# Apex's, which older releases ignored there.
LEFTOVERS = ("fp16.opt_level",)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The unknown keys of the configs in a document."""
    for config in configs_in(document, project):
        for fault in config.unknown():
            if not _said_better(config, fault):
                yield _finding(config, fault)


def _said_better(config: DeepSpeedConfig, fault: Fault) -> bool:
    """Whether another rule of the family speaks of this key."""
    if config.home(fault) is not None or config.replacement(fault) is not None:
        return True
    is_bf16 = fault.section.name in ("bf16", "bfloat16")
    return (is_bf16 and fault.key in FP16_ONLY) or (
        not fault.section.name and fault.key.lower() == "nccl"
    )


def _finding(config: DeepSpeedConfig, fault: Fault) -> Finding:
    assert fault.entry is not None
    section = fault.section.name
    where = f"in {section}" if section else "at the top"
    message = f"{fault.key} is no key that DeepSpeed reads {where}"
    first, last = config.first_known(fault), config.last_known(fault)
    if first and last:
        old = config.version.before(first)
        message += f": {first} is the first that does" if old else f": {last} was the last that did"
    if fault.near:
        message += f"; {fault.near} is"
    end = config.end(fault)
    if fault.section.refuses:
        cause = 'DeepSpeed stops with "Extra inputs are not permitted".'
    elif end:
        cause = f'It is ignored without a word, and then the run stops: "{end}"'
    else:
        cause = "It is ignored without a word, and the job trains without it."
    return RULE.finding(
        config.document,
        fault.entry.key.span,
        f"{message} ({config.judged_by})",
        severity=_severity(config, fault),
        cause=cause,
        help=f"Call it {fault.near}." if fault.near else "Take it out.",
        fix=_fix(config, fault),
    )


def _severity(config: DeepSpeedConfig, fault: Fault) -> Severity:
    if not fault.section.refuses:
        return ERROR if config.end(fault) else WARNING
    uncertain = not config.version.pinned and config.may_take(fault.section.name, fault.key)
    return WARNING if uncertain else ERROR


def _fix(config: DeepSpeedConfig, fault: Fault) -> Fix | None:
    if fault.entry is None:
        return None
    mapping = config.mapping(fault.section.name)
    if fault.path in LEFTOVERS and mapping is not None:
        removal = edit.remove_entry(config.document, mapping, fault.entry)
        return repair(f"take {fault.key} out: it never did anything here", removal, safe=True)
    if fault.near is None:
        return None
    if fault.section.keys[fault.near].fault(fault.value) is not None:
        return None
    renaming = edit.rename_key(config.document, fault.entry, fault.near)
    return repair(f"call it {fault.near}", renaming, safe=True)
