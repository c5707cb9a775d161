"""A DeepSpeed value of the wrong type, or none of those that are accepted.

## What it flags

A number or truth value in quotes where DeepSpeed calculates or compares with it, a word that is
none of the accepted ones, a number out of bounds, `null` or a plain value where a section belongs.
Strings that DeepSpeed converts by itself (`"true"` in `fp16.enabled`) are left alone, unless the
Hugging Face trainer reads the file too: it compares the value as it stands with its own. In
sections whose values DeepSpeed takes as they come, a wrong one is a warning: `"false"` counts as
true there.

## Why it fails

    TypeError: '>' not supported between instances of 'str' and 'int'          (batch sizes)
    TypeError: '>' not supported between instances of 'str' and 'float'        (gradient_clipping)
    Input should be 'none', 'cpu' or 'nvme' [type=enum, input_value='CPU', input_type=str]
    TypeError: DeepSpeedFP16Config() argument after ** must be a mapping, not bool

and under the trainer the baffling

    ValueError: Please correct the following DeepSpeed config values that mismatch
    TrainingArguments values:
    - ds gradient_accumulation_steps=8 vs hf gradient_accumulation_steps=8

## Example

    {
      "train_micro_batch_size_per_gpu": 1,
      "gradient_accumulation_steps": "8",
      "zero_optimization": { "stage": 2, "offload_optimizer": { "device": "CPU" } }
    }

Repair: the number without quotes, the word as it is spelt.

    {
      "train_micro_batch_size_per_gpu": 1,
      "gradient_accumulation_steps": 8,
      "zero_optimization": { "stage": 2, "offload_optimizer": { "device": "cpu" } }
    }

## When to ignore it

When a program of your own converts the value before DeepSpeed sees it.

## References

DeepSpeed, runtime/config.py and the models it builds; transformers, integrations/deepspeed.py:
`fill_match`.
"""

from collections.abc import Iterator
from typing import Any

from cfglint.deepspeed_config import ABSENT, AUTO, DeepSpeedConfig, configs_in
from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    WARNING,
    Document,
    Entry,
    Finding,
    Rule,
    Severity,
    edit,
    repair,
    resolve_alias,
)
from cfglint.schemadata import FALSE_WORDS, TRUE_WORDS
from cfglint.validate import Fault, described, spelled

RULE = Rule(
    code="DS003",
    name="ds-type",
    severity=ERROR,
    summary="a value of the wrong type, or none that DeepSpeed accepts",
    fix="safe",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(
        r"'>' not supported between instances of 'str' and '(int|float)'",
        r"unsupported operand type\(s\) for [/|%]+: 'str' and '(bool|str|int)'",
        r"argument after \*\* must be a mapping, not (?P<value>\w+)",
        r"Input should be a valid (integer|boolean|number|dictionary)",
        r"Invalid communication_data_type",
        r"invalid tag_validation value of (?P<value>\w+)",
        r"- ds (?P<key>\w+)=(?P<value>\S+) vs hf \w+=(?P=value)$",
        r"integer modulo by zero",
    ),
    yields_to=("DS005", "DS006", "DS010"),
)
# In sections that take every value as it comes, these fail at the first step that uses them.
USED_LATER = ("gradient_clipping", "gradient_predivide_factor")
SAME_DTYPE = {"float16": "fp16", "half": "fp16", "bfloat16": "bf16", "float32": "fp32",
              "float": "fp32"}  # fmt: skip


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The wrong values of the configs in a document."""
    for config in configs_in(document, project):
        for fault in config.faults:
            if fault.kind in ("unknown", "required", "refused") or fault.entry is None:
                continue
            if fault.value == AUTO or _is_yaml_number(config, fault):
                continue
            yield _finding(config, fault)
        yield from _strings_that_are_compared(config)
        yield from _zero_steps(config)


def _is_yaml_number(config: DeepSpeedConfig, fault: Fault) -> bool:
    """`5e8` in a LLaMA-Factory YAML: a number to OmegaConf, a string to PyYAML."""
    return config.is_inline and config.data(fault.node) != fault.value


def _finding(config: DeepSpeedConfig, fault: Fault) -> Finding:
    assert fault.entry is not None
    meant = _meant(fault)
    shown = described(fault.value) if fault.kind == "type" else f"{fault.value!r}"
    wanted = fault.accepted
    message = f"{fault.path} is {shown}"
    if wanted:
        message += f"; DeepSpeed wants {wanted}"
    elif fault.spec is not None and fault.spec.types == ("never",):
        message += ": no file can hold what DeepSpeed wants there"
    severity, cause = _weight(fault)
    node = resolve_alias(fault.node)
    fix = None
    if meant is not None:
        fix = repair(
            f"write {spelled(meant)}", edit.set_value(config.document, node, meant), safe=True
        )
    return RULE.finding(
        config.document,
        node.span,
        f"{message} ({config.judged_by})",
        severity=severity,
        cause=cause,
        help=f"Write {spelled(meant)}." if meant is not None else "",
        fix=fix,
    )


def _weight(fault: Fault) -> tuple[Severity, str]:
    if fault.refused:
        return ERROR, "DeepSpeed stops when it loads the config."
    if fault.path in USED_LATER and not isinstance(fault.value, bool):
        return ERROR, "The first optimizer step stops with a TypeError."
    if isinstance(fault.value, str) and fault.value.lower() in FALSE_WORDS:
        return WARNING, f"DeepSpeed does not look at its type: {fault.value!r} counts as true."
    return WARNING, "DeepSpeed takes it as it is; what uses it may fail later."


def _meant(fault: Fault) -> Any:
    if isinstance(fault.value, str) and fault.path.endswith("data_type"):
        return SAME_DTYPE.get(fault.value.lower())
    if fault.key in ("offload_optimizer", "offload_param") and fault.value is True:
        return {"device": "cpu"}
    if fault.key == "device" and fault.value is None:
        return "none"
    return fault.meant


def _strings_that_are_compared(config: DeepSpeedConfig) -> Iterator[Finding]:
    """Strings that DeepSpeed would convert, in keys that the trainer compares as they stand."""
    wrong = {fault.path for fault in config.faults}
    for path in config.texts:
        argument, how = config.trainer_keys.get(path, ("", ""))
        value = config.value(path)
        if how != "match" or not isinstance(value, str) or path in wrong:
            continue
        typed = _typed(value)
        entry = config.entry(path)
        if typed is None or entry is None or ".params." in path:
            continue
        use = config.hf_use
        if use is None and not config.is_hf_style:
            continue
        argument = argument.partition("|")[0]
        yield RULE.finding(
            config.document,
            resolve_alias(entry.value).span,
            f'{path} is the string "{value}"; the trainer compares it with its own {argument}',
            severity=ERROR if use is not None and use.kind == "trainer" else WARNING,
            cause=f"The trainer stops: ds {path}={value} vs hf {argument}={value}.",
            help=f"Write {spelled(typed)}.",
            fix=_to(config, entry, typed),
        )


def _typed(text: str) -> Any:
    if text.lower() in TRUE_WORDS[:4] + FALSE_WORDS[:4] or text.lower() in ("true", "false"):
        return text.lower() in TRUE_WORDS
    try:
        return int(text)
    except ValueError:
        return None


def _to(config: DeepSpeedConfig, entry: Entry, value: Any) -> Any:
    change = edit.set_value(config.document, resolve_alias(entry.value), value)
    return repair(f"write {spelled(value)}", change, safe=True)


def _zero_steps(config: DeepSpeedConfig) -> Iterator[Finding]:
    """steps_per_print 0: accelerate overwrites it, DeepSpeed divides by it."""
    entry = config.entry("steps_per_print")
    value = config.value("steps_per_print")
    if entry is None or value is ABSENT or value is False or value != 0:
        return
    if config.is_hf_style or config.hf_use is not None:
        return
    yield RULE.finding(
        config.document,
        resolve_alias(entry.value).span,
        "steps_per_print is 0: DeepSpeed divides the step number by it",
        cause='The first step stops with "ZeroDivisionError: integer modulo by zero".',
        help="Take it out, or write a number of steps.",
    )
