"""The optimizers and schedulers that a DeepSpeed config can name, and what their classes take.

Sources: DeepSpeed, runtime/engine.py (`_configure_basic_optimizer`, `_scheduler_from_config`),
runtime/lr_schedules.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cfglint.deepspeed.config import ABSENT, AUTO, DeepSpeedConfig
from cfglint.model.edit import Fix
from cfglint.model.tree import Entry, target
from cfglint.releases.data import Section
from cfglint.releases.objection import Objection
from cfglint.releases.validate import described, spelled
from cfglint.rule import ERROR, WARNING, near, repair
from cfglint.syntax import editing as edit

NAMES = {"adamw_torch": "AdamW", "adamw_hf": "AdamW", "adamw_torch_fused": "AdamW",
         "fusedadam": "Adam", "deepspeedcpuadam": "Adam", "cpuadam": "Adam"}  # fmt: skip
KEYS = {"learning_rate": "lr", "beta": "betas", "epsilon": "eps", "adam_epsilon": "eps"}
# torch.optim classes that ZeRO was tested with, and DeepSpeed's own (runtime/zero/utils.py).
TESTED = ("adam", "adamw", "adagrad", "lion", "muon", "onebitadam", "zerooneadam", "onebitlamb")
POSITIVE_STEPS = "0.19.3"  # since then a bad warmup_num_steps is refused, not mended


def objections(config: DeepSpeedConfig) -> Iterator[Objection]:
    """What DeepSpeed objects to in a config's optimizer and scheduler when it builds them."""
    for what in ("optimizer", "scheduler"):
        if config.mapping(what) is not None:
            yield from _kind(config, what)
            yield from _params(config, what)
    yield from _untested(config)
    yield from _lamb(config)


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


def last_with(config: DeepSpeedConfig, what: str, name: str) -> str:
    """The last of the releases that the files leave possible that has a type of that name, ""
    where none has it, or where they name the release."""
    package = config.release.package
    found = "" if config.version.pinned else package.versions
    known = [v for v in found if name in package.at(v).table(f"{what}s")]
    return next((v for v in reversed(known) if config.version.may_be(v)), "")


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


# -- objections ------------------------------------------------------------------------------------


def _kind(config: DeepSpeedConfig, what: str) -> Iterator[Objection]:
    entry, value = config.entry(f"{what}.type"), config.value(f"{what}.type")
    section = config.entry(what)
    if entry is None:
        if section is not None and config.mapping(f"{what}.params") is not None:
            yield Objection(
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
            yield Objection(
                target(entry.value).span,
                f"torch's {value} cannot drive DeepSpeed's own optimizer, which"
                f" {'ZeRO' if config.stage else 'half precision'} puts around yours",
                cause='torch stops: "DeepSpeedZeroOptimizer is not an Optimizer".',
                help=f"Use one of DeepSpeed's schedulers ({', '.join(own)}), or make yours in the"
                " program and step it there.",
            )
        return
    if what == "optimizer" and "." in value:
        return  # a path to a class: some program reads it
    meant = meant_type(value, own, torch, what)
    last = last_with(config, what, folded)
    until = f"; {last} was the last release that had it" if last else ""
    yield Objection(
        target(entry.value).span,
        f"{value} is no {what} of DeepSpeed or torch ({config.judged_by}){until}",
        severity=WARNING if last else ERROR,
        cause=f'DeepSpeed stops: "{value} is not a supported DeepSpeed Optimizer".'
        if what == "optimizer"
        else f'DeepSpeed stops: "DeepSpeed does not recognize LR scheduler {value}".',
        help=f"Write {meant}." if meant else f"DeepSpeed's own are {', '.join(own)}.",
        fix=config.write(entry, meant) if meant else None,
    )


def _wraps_optimizer(config: DeepSpeedConfig) -> bool:
    """Whether the optimizer that the scheduler gets is DeepSpeed's, which torch refuses."""
    return bool(config.stage or config.flag("bf16.enabled") or config.flag("fp16.enabled"))


# -- parameters ------------------------------------------------------------------------------------


def _params(config: DeepSpeedConfig, what: str) -> Iterator[Objection]:
    section = parameters(config, what)
    if section is None:
        return
    mapping = config.mapping(f"{what}.params")
    kind = config.entry(f"{what}.type")
    if mapping is None:
        missing = [k for k, s in section.keys.items() if s.required]
        absent = config.value(f"{what}.params") in (ABSENT, None)
        if kind is not None and absent and (what == "scheduler" or missing):
            yield Objection(
                target(kind.value).span,
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
            yield Objection(
                target(kind.value).span,
                f"{config.value(f'{what}.type')} needs {name} in params",
                cause=f"DeepSpeed stops: missing 1 required positional argument: '{name}'.",
                help=f"Add {name}.",
            )


def _param(
    config: DeepSpeedConfig, what: str, section: Section, name: str, entry: Entry, value: Any
) -> Iterator[Objection]:
    spec = section.keys.get(name)
    kind = config.value(f"{what}.type")
    if what == "optimizer" and name == "max_grad_norm":
        sure = _is_built(config)
        yield Objection(
            entry.key.span,
            "max_grad_norm is no parameter of the optimizer: it is gradient_clipping here",
            severity=ERROR if sure else WARNING,
            cause="DeepSpeed stops: 'max_grad_norm' is not supported as an optimizer parameter."
            + (
                ""
                if sure
                else " Where the program passes an optimizer of its own, nothing is clipped."
            ),
            help="Write gradient_clipping at the top of the file.",
            fix=_clipping(config, entry, value, sure),
        )
    elif spec is None and section.refuses:
        meant = KEYS.get(name) if KEYS.get(name) in section.keys else near(name, set(section.keys))
        free = meant is not None and meant not in (config.mapping(f"{what}.params") or ())
        yield Objection(
            entry.key.span,
            f"{kind} takes no parameter {name}" + (f"; {meant} is one" if meant else ""),
            cause=f"DeepSpeed stops: got an unexpected keyword argument '{name}'.",
            help=f"Call it {meant}." if meant else "Take it out.",
            fix=repair(
                f"call it {meant}", edit.rename_key(config.document, entry, meant), safe=True
            )
            if meant and free
            else None,
        )
    elif spec is not None and (wrong := wrong_value(config, what, name, spec.fault(value), value)):
        number = number_in(value)
        yield Objection(
            target(entry.value).span,
            f"{name} is {wrong}",
            cause="DeepSpeed stops when it builds the " + what + ".",
            help=f"Write {spelled(number)}." if number is not None else "",
            fix=config.write(entry, number) if number is not None else None,
        )


def _is_built(config: DeepSpeedConfig) -> bool:
    """Whether the optimizer is surely made from the section. accelerate and the trainer insist on
    it; a program that passes one of its own (Megatron-DeepSpeed) leaves the section unread."""
    use = config.plain_use
    own = use is not None and bool(use.source) and b"optimizer=" not in use.source
    return own or config.is_for_hf


def _clipping(config: DeepSpeedConfig, entry: Entry, value: Any, sure: bool) -> Fix | None:
    params = config.mapping("optimizer.params")
    clipping = "gradient_clipping"
    if params is None or clipping in config.root or _is_no_number(value):
        return None
    return repair(
        "move it to gradient_clipping",
        edit.remove_entry(config.document, params, entry),
        edit.insert_entry(config.document, config.root, clipping, value),
        safe=sure,
    )


def _is_no_number(value: Any) -> bool:
    return isinstance(value, bool) or not isinstance(value, (int, float))


# -- optimizer against the rest --------------------------------------------------------------------


def _untested(config: DeepSpeedConfig) -> Iterator[Objection]:
    entry, name = config.entry("optimizer.type"), config.optimizer
    own, torch = types(config, "optimizer")
    if entry is None or name is None or not config.stage or (name not in own and name not in torch):
        return
    if name in TESTED or config.known("zero_allow_untested_optimizer"):
        return
    allow = edit.insert_entry(config.document, config.root, "zero_allow_untested_optimizer", True)
    yield Objection(
        target(entry.value).span,
        f"ZeRO stage {config.stage} was not tested with {config.value('optimizer.type')}",
        cause='DeepSpeed stops: "You are using an untested ZeRO Optimizer."',
        help='Add "zero_allow_untested_optimizer": true, or use Adam or AdamW.',
        fix=repair("allow it", allow)
        if config.value("zero_allow_untested_optimizer") is ABSENT
        else None,
    )


def _lamb(config: DeepSpeedConfig) -> Iterator[Objection]:
    scale, entry = config.number("fp16.loss_scale"), config.entry("fp16.loss_scale")
    if config.optimizer == "lamb" and config.flag("fp16.enabled") and scale and entry is not None:
        yield Objection(
            target(entry.value).span,
            f"LAMB needs dynamic loss scaling; loss_scale is {scale:g}",
            cause='DeepSpeed stops: "lamb optimizer requires dynamic loss scaling".',
            help="Write 0.",
        )
