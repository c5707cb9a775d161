"""The values of a DeepSpeed config that its readers cannot use, or take for something else.

Sources: DeepSpeed, runtime/config.py and the models it builds; module_inject/auto_ep_config.py;
transformers, integrations/deepspeed.py: `fill_match`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cfglint.deepspeed.config import ABSENT, AUTO, DeepSpeedConfig
from cfglint.model.tree import target
from cfglint.releases.data import FALSE_WORDS, TRUE_WORDS
from cfglint.releases.objection import Objection
from cfglint.releases.validate import Fault, described, spelled
from cfglint.rule import ERROR, WARNING, Severity, repair
from cfglint.syntax import editing as edit

# In sections that take every value as it comes, these fail at the first step that uses them.
USED_LATER = ("gradient_clipping", "gradient_predivide_factor")
SAME_DTYPE = {"float16": "fp16", "half": "fp16", "bfloat16": "bf16", "float32": "fp32",
              "float": "fp32"}  # fmt: skip


def objections(config: DeepSpeedConfig) -> Iterator[Objection]:
    """What a config's readers object to in its values."""
    for fault in config.faults:
        if fault.kind in ("unknown", "required", "refused") or fault.entry is None:
            continue
        if fault.value == AUTO or _is_yaml_number(config, fault):
            continue
        if fault.path == "steps_per_print" and _overwrites_steps(config):
            continue
        if _is_no_strict_json(config, fault):
            continue
        yield _wrong(config, fault)
    yield from _strings_that_are_compared(config)
    yield from _zero_steps(config)


def _is_yaml_number(config: DeepSpeedConfig, fault: Fault) -> bool:
    """`5e8` in a LLaMA-Factory YAML: a number to OmegaConf, a string to PyYAML."""
    return config.is_inline and config.data(fault.node) != fault.value


def _is_no_strict_json(config: DeepSpeedConfig, fault: Fault) -> bool:
    """`True,` to a reader of strict JSON, who stops there before anything looks at its type."""
    if getattr(fault.node, "style", "") != "quoteless" or not isinstance(fault.value, str):
        return False
    return config.hf_use is not None or (config.is_hf_style and not config.uses)


def _wrong(config: DeepSpeedConfig, fault: Fault) -> Objection:
    assert fault.entry is not None
    meant = _meant(fault)
    shown = described(fault.value) if fault.kind == "type" else f"{fault.value!r}"
    wanted = fault.accepted
    message = f"{fault.path} is {shown}"
    if wanted:
        message += f"; DeepSpeed wants {wanted}"
    elif fault.spec is not None and fault.spec.types == ("never",):
        message += ": no file can hold what DeepSpeed wants there"
    elif fault.spec is not None and fault.spec.types == ("null",):
        message += ": this release refuses every value of it"
    severity, cause = _weight(config, fault)
    node = target(fault.node)
    fix = None
    if meant is not None:
        fix = repair(
            f"write {spelled(meant)}", edit.set_value(config.document, node, meant), safe=True
        )
    return Objection(
        node.span,
        f"{message} ({config.judged_by})",
        severity=severity,
        cause=cause,
        help=f"Write {spelled(meant)}." if meant is not None else "",
        fix=fix,
    )


def _weight(config: DeepSpeedConfig, fault: Fault) -> tuple[Severity, str]:
    checked = fault.spec is not None and (fault.spec.choices or fault.spec.limits)
    is_experts = fault.section.name == "expert_parallel"
    if is_experts and checked and config.known("expert_parallel.enabled"):
        return ERROR, "DeepSpeed stops when it builds the engine."
    if fault.refused:
        return ERROR, "DeepSpeed stops when it loads the config."
    if fault.path in USED_LATER and not isinstance(fault.value, bool):
        return ERROR, "The first optimizer step stops with a TypeError."
    if isinstance(fault.value, str) and fault.value.lower() in FALSE_WORDS:
        return WARNING, f"DeepSpeed does not look at its type: {fault.value!r} counts as true."
    return WARNING, "DeepSpeed takes it as it is; what uses it may fail later."


def _meant(fault: Fault) -> Any:
    if getattr(fault.node, "style", "") == "quoteless" and isinstance(fault.value, str):
        python = {"True": True, "False": False}.get(fault.value.rstrip(", "))
        if python is not None:
            return python
    if isinstance(fault.value, str) and fault.path.endswith("data_type"):
        return SAME_DTYPE.get(fault.value.lower())
    if fault.key in ("offload_optimizer", "offload_param") and fault.value is True:
        return {"device": "cpu"}
    if fault.key == "device" and fault.value is None:
        return "none"
    return fault.meant


def _strings_that_are_compared(config: DeepSpeedConfig) -> Iterator[Objection]:
    """Strings that DeepSpeed would convert, in keys that the trainer compares as they stand."""
    wrong = {fault.path for fault in config.faults}
    for path in config.texts:
        argument, how = config.trainer_keys.get(path, ("", ""))
        value = config.value(path) if how == "match" else None
        if not isinstance(value, str) or path in wrong:
            continue
        typed = _typed(value)
        entry = config.entry(path)
        if typed is None or entry is None or ".params." in path:
            continue
        use = config.hf_use
        if use is None and not config.is_hf_style:
            continue
        argument = argument.partition("|")[0]
        yield Objection(
            target(entry.value).span,
            f'{path} is the string "{value}"; the trainer compares it with its own {argument}',
            severity=ERROR if use is not None and use.kind == "trainer" else WARNING,
            cause=f"The trainer stops: ds {path}={value} vs hf {argument}={value}.",
            help=f"Write {spelled(typed)}.",
            fix=config.write(entry, typed),
        )


def _typed(text: str) -> Any:
    if text.lower() in TRUE_WORDS[:4] + FALSE_WORDS[:4] or text.lower() in ("true", "false"):
        return text.lower() in TRUE_WORDS
    try:
        return int(text)
    except ValueError:
        return None


def _overwrites_steps(config: DeepSpeedConfig) -> bool:
    """Whether accelerate or the trainer reads the config, who put infinity for steps_per_print."""
    return config.is_hf_style or config.hf_use is not None


def _zero_steps(config: DeepSpeedConfig) -> Iterator[Objection]:
    """steps_per_print 0: accelerate overwrites it, DeepSpeed divides by it."""
    entry = config.entry("steps_per_print")
    value = config.value("steps_per_print")
    if entry is None or value is ABSENT or value is False or value != 0:
        return
    if _overwrites_steps(config):
        return
    yield Objection(
        target(entry.value).span,
        "steps_per_print is 0: DeepSpeed divides the step number by it",
        cause='The first step stops with "ZeroDivisionError: integer modulo by zero".',
        help="Take it out, or write a number of steps.",
    )
