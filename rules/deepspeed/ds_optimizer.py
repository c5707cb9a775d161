"""An optimizer or scheduler that DeepSpeed cannot build.

## What it flags

- a type that is neither DeepSpeed's nor, spelt exactly, one of torch's;
- parameters that its class does not take (`learning_rate`, `max_grad_norm`), misses, or cannot
  calculate with (`"1e-4"` in quotes);
- ZeRO with an optimizer it was not tested with, unless `zero_allow_untested_optimizer` is true;
- a scheduler of torch's with ZeRO or half precision;
- a static loss scale with LAMB.

A section without a `type` is ignored by DeepSpeed: a warning. What is "auto" is the trainer's
matter.

## Why it fails

    AssertionError: adamw_torch is not a supported DeepSpeed Optimizer
    AssertionError: DeepSpeed does not recognize LR scheduler CosineLR
    TypeError: FusedAdam.__init__() got an unexpected keyword argument 'learning_rate'
    TypeError: WarmupDecayLR.__init__() missing 1 required positional argument: 'total_num_steps'
    AssertionError: You are using an untested ZeRO Optimizer. ...
    TypeError: DeepSpeedZeroOptimizer is not an Optimizer

## Example

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": { "stage": 2 },
      "optimizer": { "type": "adamw_torch", "params": { "learning_rate": 1e-4 } }
    }

Repair: DeepSpeed's name of the optimizer, torch's of the parameter.

    {
      "train_micro_batch_size_per_gpu": 1,
      "zero_optimization": { "stage": 2 },
      "optimizer": { "type": "AdamW", "params": { "lr": 1e-4 } }
    }

## When to ignore it

When the program passes an optimizer of its own: DeepSpeed does not look at the section then.

## References

DeepSpeed, runtime/engine.py: `_configure_basic_optimizer`, `_do_optimizer_sanity_check`,
`_scheduler_from_config`; runtime/lr_schedules.py.
"""

from collections.abc import Iterator
from typing import Any

from cfglint.deepspeed_config import ABSENT, AUTO, DeepSpeedConfig, configs_in
from cfglint.deepspeed_optimizers import (
    meant_type,
    number_in,
    parameters,
    types,
    was_known,
    wrong_value,
)
from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    WARNING,
    Document,
    Entry,
    Finding,
    Fix,
    Rule,
    edit,
    near,
    repair,
    resolve_alias,
)
from cfglint.schemadata import Section
from cfglint.validate import spelled

RULE = Rule(
    code="DS012",
    name="ds-optimizer",
    severity=ERROR,
    summary="an optimizer or scheduler that DeepSpeed cannot build",
    fix="safe",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(
        r"(?P<value>\w+) is not a supported DeepSpeed Optimizer",
        r"DeepSpeed does not recognize LR scheduler (?P<value>\w+)",
        r"You are using an untested ZeRO Optimizer",
        r"'max_grad_norm' is not supported as an optimizer parameter",
        r"got an unexpected keyword argument '(?P<key>learning_rate|total_num_steps|warmup_\w+)'",
        r"warmup_num_steps must be a positive integer, got (?P<value>\S+)",
        r"lamb optimizer requires dynamic loss scaling",
        r"zero stage \d requires an optimizer",
        r"DeepSpeedZeroOptimizer\w* is not an Optimizer",
    ),
)
KEYS = {"learning_rate": "lr", "beta": "betas", "epsilon": "eps", "adam_epsilon": "eps"}
# torch.optim classes that ZeRO was tested with, and DeepSpeed's own (runtime/zero/utils.py).
TESTED = ("adam", "adamw", "adagrad", "lion", "muon", "onebitadam", "zerooneadam", "onebitlamb")


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The optimizers and schedulers of the configs in a document."""
    for config in configs_in(document, project):
        for what in ("optimizer", "scheduler"):
            if config.mapping(what) is not None:
                yield from _kind(config, what)
                yield from _params(config, what)
        yield from _untested(config)
        yield from _lamb(config)


def _kind(config: DeepSpeedConfig, what: str) -> Iterator[Finding]:
    entry, value = config.entry(f"{what}.type"), config.value(f"{what}.type")
    section = config.entry(what)
    if entry is None:
        if section is not None and config.mapping(f"{what}.params") is not None:
            yield RULE.finding(
                config.document,
                section.key.span,
                f"{what} has no type",
                severity=WARNING,
                cause=f"DeepSpeed ignores the whole {what} section without a message.",
                help='Add "type".',
            )
        return
    if not isinstance(value, str) or value == AUTO:
        return
    own, torch = types(config, what)
    folded = value.lower() if what == "optimizer" else value
    if folded in own or value in torch:
        if what == "scheduler" and value not in own and _wraps_optimizer(config):
            yield RULE.finding(
                config.document,
                resolve_alias(entry.value).span,
                f"torch's {value} cannot drive DeepSpeed's own optimizer, which"
                f" {'ZeRO' if config.stage else 'half precision'} puts around yours",
                cause='torch stops: "DeepSpeedZeroOptimizer is not an Optimizer".',
                help=f"Use one of DeepSpeed's schedulers ({', '.join(own)}), or make yours in the"
                " program and step it there.",
            )
        return
    meant = meant_type(value, own, torch, what)
    uncertain = not config.version.pinned and was_known(config, what, folded)
    yield RULE.finding(
        config.document,
        resolve_alias(entry.value).span,
        f"{value} is no {what} of DeepSpeed or torch ({config.judged_by})",
        severity=WARNING if uncertain else ERROR,
        cause=f'DeepSpeed stops: "{value} is not a supported DeepSpeed Optimizer".'
        if what == "optimizer"
        else f'DeepSpeed stops: "DeepSpeed does not recognize LR scheduler {value}".',
        help=f"Write {meant}." if meant else f"DeepSpeed's own are {', '.join(own)}.",
        fix=_to(config, entry, meant) if meant else None,
    )


def _wraps_optimizer(config: DeepSpeedConfig) -> bool:
    """Whether the optimizer that the scheduler gets is DeepSpeed's, which torch refuses."""
    return bool(config.stage or config.flag("bf16.enabled") or config.flag("fp16.enabled"))


# -- parameters ------------------------------------------------------------------------------------


def _params(config: DeepSpeedConfig, what: str) -> Iterator[Finding]:
    section = parameters(config, what)
    if section is None:
        return
    mapping = config.mapping(f"{what}.params")
    kind = config.entry(f"{what}.type")
    if mapping is None:
        missing = [k for k, s in section.keys.items() if s.required]
        absent = config.value(f"{what}.params") in (ABSENT, None)
        if kind is not None and absent and (what == "scheduler" or missing):
            yield RULE.finding(
                config.document,
                resolve_alias(kind.value).span,
                f"{what} {config.value(f'{what}.type')} has no params",
                cause="DeepSpeed stops: argument after ** must be a mapping, not NoneType.",
                help='Add "params": {}' + (f" with {', '.join(missing)}." if missing else "."),
            )
        return
    for name, entry in mapping.index.items():
        value = config.data(entry.value)
        if value != AUTO:
            yield from _param(config, what, section, name, entry, value)
    for name, spec in section.keys.items():
        if spec.required and name not in mapping and kind is not None:
            yield RULE.finding(
                config.document,
                resolve_alias(kind.value).span,
                f"{config.value(f'{what}.type')} needs {name} in params",
                cause=f"DeepSpeed stops: missing 1 required positional argument: '{name}'.",
                help=f"Add {name}.",
            )


def _param(
    config: DeepSpeedConfig, what: str, section: Section, name: str, entry: Entry, value: Any
) -> Iterator[Finding]:
    spec = section.keys.get(name)
    document = config.document
    kind = config.value(f"{what}.type")
    if what == "optimizer" and name == "max_grad_norm":
        yield RULE.finding(
            document,
            entry.key.span,
            "max_grad_norm is no parameter of the optimizer: it is gradient_clipping here",
            cause="DeepSpeed stops: 'max_grad_norm' is not supported as an optimizer parameter.",
            help="Write gradient_clipping at the top of the file.",
            fix=_clipping(config, entry, value),
        )
    elif spec is None and section.refuses:
        meant = KEYS.get(name) if KEYS.get(name) in section.keys else near(name, set(section.keys))
        free = meant is not None and meant not in (config.mapping(f"{what}.params") or ())
        yield RULE.finding(
            document,
            entry.key.span,
            f"{kind} takes no parameter {name}" + (f"; {meant} is one" if meant else ""),
            cause=f"DeepSpeed stops: got an unexpected keyword argument '{name}'.",
            help=f"Call it {meant}." if meant else "Take it out.",
            fix=repair(f"call it {meant}", edit.rename_key(document, entry, meant), safe=True)
            if meant and free
            else None,
        )
    elif spec is not None and (wrong := wrong_value(config, what, name, spec.fault(value), value)):
        number = number_in(value)
        yield RULE.finding(
            document,
            resolve_alias(entry.value).span,
            f"{name} is {wrong}",
            cause="DeepSpeed stops when it builds the " + what + ".",
            help=f"Write {spelled(number)}." if number is not None else "",
            fix=_to(config, entry, number) if number is not None else None,
        )


def _clipping(config: DeepSpeedConfig, entry: Entry, value: Any) -> Fix | None:
    params = config.mapping("optimizer.params")
    clipping = "gradient_clipping"
    if params is None or clipping in config.root or _is_no_number(value):
        return None
    return repair(
        "move it to gradient_clipping",
        edit.remove_entry(config.document, params, entry),
        edit.insert_entry(config.document, config.root, clipping, value),
        safe=True,
    )


def _is_no_number(value: Any) -> bool:
    return isinstance(value, bool) or not isinstance(value, (int, float))


def _to(config: DeepSpeedConfig, entry: Entry, value: Any) -> Fix | None:
    change = edit.set_value(config.document, resolve_alias(entry.value), value)
    return repair(f"write {spelled(value)}", change, safe=True)


# -- optimizer against the rest --------------------------------------------------------------------


def _untested(config: DeepSpeedConfig) -> Iterator[Finding]:
    entry, name = config.entry("optimizer.type"), config.optimizer
    own, torch = types(config, "optimizer")
    if entry is None or name is None or not config.stage or (name not in own and name not in torch):
        return
    if name in TESTED or config.known("zero_allow_untested_optimizer"):
        return
    allow = edit.insert_entry(config.document, config.root, "zero_allow_untested_optimizer", True)
    yield RULE.finding(
        config.document,
        resolve_alias(entry.value).span,
        f"ZeRO stage {config.stage} was not tested with {config.value('optimizer.type')}",
        cause='DeepSpeed stops: "You are using an untested ZeRO Optimizer."',
        help='Add "zero_allow_untested_optimizer": true, or use Adam or AdamW.',
        fix=repair("allow it", allow)
        if config.value("zero_allow_untested_optimizer") is ABSENT
        else None,
    )


def _lamb(config: DeepSpeedConfig) -> Iterator[Finding]:
    scale, entry = config.number("fp16.loss_scale"), config.entry("fp16.loss_scale")
    if config.optimizer == "lamb" and config.flag("fp16.enabled") and scale and entry is not None:
        yield RULE.finding(
            config.document,
            resolve_alias(entry.value).span,
            f"LAMB needs dynamic loss scaling; loss_scale is {scale:g}",
            cause='DeepSpeed stops: "lamb optimizer requires dynamic loss scaling".',
            help="Write 0.",
        )
