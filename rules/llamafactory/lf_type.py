"""A value of the wrong type, or none of those that a key takes.

## What it flags

A value that LLaMA-Factory or transformers surely chokes on: a name that is not among the choices
(`stage: SFT`), text where numbers are compared (`image_max_pixels: 768*768`), a YAML truth value
where a word is meant (`eval_strategy: no`). As warnings: values of another type than the key's
that nothing checks and that then mean something else, such as `fp16: "false"`, which is true.

## Why it fails

A YAML config is not parsed like command line flags: nothing converts or checks values by type.
Some are refused at once, some only when the model or the optimizer is made, some never:

    ValueError: False is not a valid IntervalStrategy, please select one of ['no', 'steps', 'epoch']
    ValueError: Unknown task: SFT.
    TypeError: '<' not supported between instances of 'str' and 'int'

## Example

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset: identity
    output_dir: saves/qwen
    save_strategy: no

Repair: quotes keep `no` a word.

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset: identity
    output_dir: saves/qwen
    save_strategy: "no"
"""

from collections.abc import Iterator
from typing import Any

from cfglint.argument_faults import ArgumentFault, faults, origin, suspects
from cfglint.argument_history import may_take
from cfglint.arguments import Arguments, arguments
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Fix, Rule, edit, repair
from cfglint.schemadata import Spec, kind_of
from cfglint.validate import accepted, described, meant, spelled
from cfglint.vendored import names_value

RULE = Rule(
    code="LF002",
    name="lf-type",
    severity=ERROR,
    summary="a value of the wrong type, or not among a key's choices",
    fix="safe",
    kinds=("llamafactory",),
    symptoms=(
        r"is not a valid \w+(Strategy|Names|Type|Option), please select one of",
        r"Unknown (task|attention type|loss type|mixing strategy|backend)",
        r"Invalid fine-tuning method", r"Template .* does not exist", r"Tool utils .* not found",
        r"'<=?' not supported between instances of 'str' and",
        r"unsupported type for timedelta seconds component",
    ),
    yields_to=("SYN006", "LF007", "RUN007"),
)  # fmt: skip


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The values that the loader chokes on, then those that it takes for something else."""
    given = arguments(document, project)
    if given is None:
        return
    refused = {f.key for f in faults(given)}
    for fault in faults(given):
        if fault.kind == "value" and fault.entry is not None and not _is_of_fork(given, fault):
            yield _refused(given, fault)
    for key, spec, value in suspects(given):
        entry = given.entry(key)
        if key not in refused and entry is not None and _misread(spec, value):
            yield RULE.finding(
                document, entry.value.span,
                f"{key}: {_written(given, key)} is {_is_what(spec, value)}",
                severity=WARNING,
                cause=f"{given.judged_by} does not check this and goes on with the wrong value.",
                help=_help(spec, value), fix=_fix(given, key, spec),
            )  # fmt: skip


def _is_of_fork(given: Arguments, fault: ArgumentFault) -> bool:
    """Whether the LLaMA-Factory in the tree added this choice: no release has it for any key."""
    value, spec = given.given[fault.key], given.spec(fault.key)
    if not (fault.failure.choices or (spec and spec.choices)):
        return False
    released = any(value in other.choices for other in given.section.keys.values())
    return not released and names_value(given, value)


def _refused(given: Arguments, fault: ArgumentFault) -> Finding:
    key, failure = fault.key, fault.failure
    spec, value = given.spec(key), given.given[key]
    choices = failure.choices or (spec.choices if spec else ())
    if choices or spec is None:
        spec = Spec(key, {"type": "str", "choices": [c for c in choices if c != value]})
    says = failure.says.replace("{}", spelled(value))
    assert fault.entry is not None
    return RULE.finding(
        given.document,
        fault.entry.value.span,
        f"{key}: {_written(given, key)} is {_is_what(spec, value)} ({origin(given, key)})",
        severity=WARNING if may_take(given, key, value) else ERROR,
        cause=f'{"Once the run begins: " if failure.late else ""}"{failure.error}: {says}"',
        help=_help(spec, value),
        fix=_fix(given, key, spec),
    )


def _written(given: Arguments, key: str) -> str:
    """A value as it stands in the file, quotes and all."""
    entry, value = given.entry(key), given.given[key]
    if entry is None or isinstance(value, list | dict):
        return spelled(value)
    return given.document.source.text[entry.value.start : entry.value.end]


def _misread(spec: Spec, value: Any) -> bool:
    """Whether an unchecked value means something else than it says."""
    kind, fault = kind_of(value), spec.fault(value)
    if fault == "choice":
        return kind == "str"
    if fault != "type":
        return False
    return (
        (kind == "str" and "list" not in spec.types)
        or (kind == "number" and "int" in spec.types)
        or kind in ("list", "mapping")
    )


def _is_what(spec: Spec, value: Any) -> str:
    if spec.choices and isinstance(value, bool):
        return f"the truth value {spelled(value)} to YAML, not a word"
    if spec.choices:
        return "not among its values"
    if isinstance(value, str) and "bool" in spec.types:
        return "text, and any text counts as true"
    return f"{described(value)}, not {accepted(spec)}"


def _help(spec: Spec, value: Any) -> str:
    takes = accepted(spec)
    return f"It takes {takes}." if takes else ""


def _fix(given: Arguments, key: str, spec: Spec) -> Fix | None:
    """The value of the right type that was plainly meant."""
    entry, value = given.entry(key), given.given[key]
    right = meant(spec, value)
    if isinstance(value, str) and key == "fsdp" and "," in value:
        right = " ".join(value.replace(",", " ").split())
    if right is None or entry is None:
        return None
    title = f"{key}: {spelled(right)}"
    return repair(title, edit.set_value(given.document, entry.value, right), safe=True)
