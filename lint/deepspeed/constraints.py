"""Settings of a DeepSpeed config that need others, or exclude them: what stops the engine.

A check stands at the key that it speaks of; it says why DeepSpeed refuses the config, or None.
Sources: DeepSpeed, runtime/config.py (`_do_error_check`), runtime/zero/stage_1_and_2.py and
stage3.py, runtime/zenflow/, compile/init_z3.py; runtime/precision_config.py, runtime/engine.py
(`_do_sanity_check`, `get_data_types`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cfglint.deepspeed.config import ABSENT, FP16_ONLY, DeepSpeedConfig
from cfglint.model.tree import target
from cfglint.releases.objection import Objection
from cfglint.rule import ERROR, WARNING, Related, repair
from cfglint.syntax import editing as edit

ZERO = "zero_optimization"
Check = Callable[[DeepSpeedConfig], "str | None"]
StageCheck = Callable[[DeepSpeedConfig, int], "str | None"]
NAMES = {
    "half": "fp16", "float16": "fp16", "torch.float16": "fp16", "bfloat16": "bf16",
    "torch.bfloat16": "bf16", "float": "fp32", "float32": "fp32", "torch.float32": "fp32",
}  # fmt: skip
CHECKED_SCALING = "0.19.3"  # since then these are looked at before the first step
MASTER = {"fp16": "fp16_master_weights_and_grads", "bf16": "bf16_master_weights_and_grads"}
# Keys that can simply go, with why.
IDLE = {
    f"{ZERO}.legacy_stage1": "take it out: stage 1 is the new one",
    "data_types.param_dtype": "take param_dtype out: the precision decides",
}


def of_zero(config: DeepSpeedConfig) -> Iterator[Objection]:
    """The ZeRO settings that DeepSpeed refuses together."""
    stage = config.stage
    for path, check, help_ in ZERO_CHECKS if stage is not None else ():
        if config.has(path) and config.knows(path) and stage is not None:
            reason = check(config, stage)
            if reason is not None:
                cause = "DeepSpeed stops when it builds the engine."
                yield _objection(config, path, reason, cause, help_)


def of_modes(config: DeepSpeedConfig) -> Iterator[Objection]:
    """What fp16, bf16 and amp have against each other, and loss scaling in bf16."""
    yield from _both(config)
    yield from _amp(config)
    yield from _loss_scaling(config)


def of_precision(config: DeepSpeedConfig) -> Iterator[Objection]:
    """The precision settings whose needs are not met."""
    for path, check, help_ in PRECISION_CHECKS:
        if config.has(path) and config.knows(path):
            reason = check(config)
            if reason is not None:
                cause = "DeepSpeed stops when it loads the config or builds the engine."
                yield _objection(config, path, reason, cause, help_)


def _objection(
    config: DeepSpeedConfig, path: str, reason: str, cause: str, help_: str
) -> Objection:
    entry, mapping = config.entry(path), config.mapping(path.rpartition(".")[0])
    assert entry is not None
    fix = None
    if path in IDLE and mapping is not None:
        removal = edit.remove_entry(config.document, mapping, entry)
        fix = repair(IDLE[path], removal, safe=True)
    return Objection(target(entry.value).span, f"{path}: {reason}", cause, help_, fix=fix)


# -- ZeRO ------------------------------------------------------------------------------------------


def _scatters(config: DeepSpeedConfig, stage: int) -> bool:
    return stage in (2, 3) and config.flag(f"{ZERO}.reduce_scatter") is True


def _prescale(config: DeepSpeedConfig, stage: int) -> str | None:
    on = config.value("prescale_gradients") is True and _scatters(config, stage)
    return f"not with stage {stage} and reduce_scatter" if on else None


def _predivide(config: DeepSpeedConfig, stage: int) -> str | None:
    factor = config.number("gradient_predivide_factor")
    on = factor is not None and factor != 1 and _scatters(config, stage)
    return f"only 1.0 works with stage {stage} and reduce_scatter" if on else None


def _legacy(config: DeepSpeedConfig, stage: int) -> str | None:
    on = stage > 0 and config.flag(f"{ZERO}.legacy_stage1") is True
    return "DeepSpeed has no such stage 1 since 0.5.9" if on else None


def _bucket(config: DeepSpeedConfig, stage: int) -> str | None:
    size = config.value(f"{ZERO}.allgather_bucket_size")
    odd = isinstance(size, (int, float)) and size % 2 == 1
    return f"{size:g} is odd; it must divide by 2" if odd and stage in (1, 2) else None


def _grad_norm(config: DeepSpeedConfig, stage: int) -> str | None:
    if config.flag(f"{ZERO}.compute_grad_norm") is not False:
        return None
    if stage not in (1, 2):
        return f"false is for stage 1 and 2 only; this is stage {stage}"
    clipping = config.value("gradient_clipping")
    if clipping is ABSENT:
        clipping = config.default("gradient_clipping")
    if isinstance(clipping, (int, float)) and clipping > 0:
        absent = config.value("gradient_clipping") is ABSENT
        shown = f"{clipping:g}{' by default' if absent else ''}"
        return f"false needs gradient_clipping 0; it is {shown} ({config.judged_by})"
    if config.mapping(f"{ZERO}.zenflow") is not None:
        return "false does not go with ZenFlow"
    return "false does not go with an offloaded optimizer" if _offloads(config) else None


def _sum(config: DeepSpeedConfig, stage: int) -> str | None:
    if str(config.value("gradient_allreduce_op")).lower() != "sum":
        return None
    if stage == 3:
        return "sum does not go with stage 3"
    if config.mapping(f"{ZERO}.zenflow") is not None:
        return "sum does not go with ZenFlow"
    return "sum does not go with DeepCompile" if config.flag("compile.deepcompile") else None


def _muon(config: DeepSpeedConfig, stage: int) -> str | None:
    refuses = config.optimizer == "muon" and stage == 3 and config.since("0.18.9")
    on = refuses and config.flag(f"{ZERO}.reduce_scatter") is True
    return "Muon at stage 3 does not go with reduce_scatter, which is on" if on else None


def _zenflow(config: DeepSpeedConfig, stage: int) -> str | None:
    if config.mapping(f"{ZERO}.zenflow") is None or stage == 0:
        return None
    if config.offload("optimizer") == "none":
        return "it needs offload_optimizer with device cpu"
    strategy = config.known(f"{ZERO}.zenflow.select_strategy", "auto")
    interval = config.known(f"{ZERO}.zenflow.select_interval", "auto")
    if strategy == "auto" and isinstance(interval, int):
        return "select_interval is set by select_strategy auto itself"
    wants_number = strategy in ("step", "epoch") and interval == "auto"
    return f"select_strategy {strategy} needs a number as select_interval" if wants_number else None


def _managed(config: DeepSpeedConfig, stage: int) -> str | None:
    unmanaged = config.value("managed_gradient_accumulation") is False and stage < 2
    on = unmanaged and config.flag(f"{ZERO}.overlap_comm") is True
    return "false goes with overlap_comm at stage 2 and 3 only" if on else None


def _compile(config: DeepSpeedConfig, stage: int) -> str | None:
    if not config.flag("compile.deepcompile") or not config.flag("compile.offload_activation"):
        return None
    others = [
        k for k in ("offload_parameters", "offload_opt_states") if config.flag(f"compile.{k}")
    ]
    return f"it does not go with {others[0]}" if others else None


def _offloads(config: DeepSpeedConfig) -> bool:
    return config.offload("optimizer") in ("cpu", "nvme")


# Where an objection stands, what is asked, and the repair in words.
ZERO_CHECKS: tuple[tuple[str, StageCheck, str], ...] = (
    ("prescale_gradients", _prescale, 'Set "reduce_scatter": false, or take it out.'),
    ("gradient_predivide_factor", _predivide, 'Set "reduce_scatter": false, or take it out.'),
    (f"{ZERO}.legacy_stage1", _legacy, "Take it out."),
    (f"{ZERO}.allgather_bucket_size", _bucket, "Write an even number."),
    (f"{ZERO}.compute_grad_norm", _grad_norm, 'Set "gradient_clipping": 0, or take it out.'),
    ("gradient_allreduce_op", _sum, "Use mean."),
    ("optimizer.type", _muon, 'Set "reduce_scatter": false in zero_optimization.'),
    (f"{ZERO}.zenflow", _zenflow, ""),
    ("managed_gradient_accumulation", _managed, 'Set "overlap_comm": false.'),
    ("compile.offload_activation", _compile, "Choose one."),
)


# -- precision -------------------------------------------------------------------------------------


def _master(section: str) -> Check:
    def check(config: DeepSpeedConfig) -> str | None:
        path = f"{section}.{MASTER[section]}"
        if config.flag(path) is not True:
            return None
        if config.stage == 0:
            return "it needs ZeRO; this is stage 0"
        states = config.flag("bf16.bf16_optimizer_states") if section == "bf16" else False
        if config.stage is not None and config.offload("optimizer") == "none" and states is False:
            return "it needs offload_optimizer with device cpu and Adam"
        return None

    return check


def _states(config: DeepSpeedConfig) -> str | None:
    if config.flag("bf16.bf16_optimizer_states") is not True:
        return None
    master = config.flag(f"bf16.{MASTER['bf16']}")
    return f"it needs {MASTER['bf16']}" if master is False else None


def _accumulation(config: DeepSpeedConfig) -> str | None:
    """At stage 0 gradients accumulate in the model's own precision, since 0.17.6 in bf16 too."""
    wanted = _dtype(config, "grad_accum_dtype")
    if wanted is None or config.stage != 0 or config.precision in (None, wanted):
        return None
    if config.precision == "bf16" and wanted == "fp32" and not config.since("0.17.6"):
        return None
    return f"{wanted} at stage 0, where the model is in {config.precision}"


def _parameters(config: DeepSpeedConfig) -> str | None:
    wanted = _dtype(config, "param_dtype")
    if wanted is None or config.precision in (None, wanted):
        return None
    return f"{wanted}, but the precision of the model is {config.precision}"


def _dtype(config: DeepSpeedConfig, key: str) -> str | None:
    section = config.section("data_types")
    value = config.known(f"data_types.{key}")
    known = section is not None and key in section.keys
    return NAMES.get(value, value) if known and isinstance(value, str) else None


def _scaling(key: str) -> Check:
    def check(config: DeepSpeedConfig) -> str | None:
        value = config.number(f"fp16.{key}")
        dynamic = config.known("fp16.loss_scale", 0) == 0 and config.flag("fp16.enabled")
        if not dynamic or not config.since(CHECKED_SCALING) or value is None or value > 0:
            return None
        return f"{value} with dynamic loss scaling"

    return check


PRECISION_CHECKS: tuple[tuple[str, Check, str], ...] = (
    (f"fp16.{MASTER['fp16']}", _master("fp16"), "Offload the optimizer, or take it out."),
    (f"bf16.{MASTER['bf16']}", _master("bf16"), "Offload the optimizer, or take it out."),
    ("bf16.bf16_optimizer_states", _states, f"Set {MASTER['bf16']} too, or take it out."),
    ("data_types.grad_accum_dtype", _accumulation, "Use a ZeRO stage, or take it out."),
    ("data_types.param_dtype", _parameters, "Take it out."),
    ("fp16.loss_scale_window", _scaling("loss_scale_window"), "Write a positive number."),
    ("fp16.min_loss_scale", _scaling("min_loss_scale"), "Write a positive number."),
)


# -- modes ----------------------------------------------------------------------------------------


def _both(config: DeepSpeedConfig) -> Iterator[Objection]:
    fp16, bf16 = config.entry("fp16.enabled"), config.entry(f"{config.bf16}.enabled")
    if fp16 is None or bf16 is None:
        return
    if config.flag("fp16.enabled") and config.flag(f"{config.bf16}.enabled"):
        first, second = sorted((fp16, bf16), key=lambda e: e.key.start)
        yield Objection(
            target(second.value).span,
            "fp16 and bf16 are both enabled",
            cause="DeepSpeed stops: bfloat16 and fp16 modes cannot be simultaneously enabled.",
            help="Enable one; bf16 where the GPUs have it (Ampere and newer).",
            related=[Related(config.document, target(first.value).span, "the other one")],
        )


def _amp(config: DeepSpeedConfig) -> Iterator[Objection]:
    entry = config.entry("amp.enabled")
    section = config.section("amp")
    if entry is None or section is None or config.value("amp.enabled") is not True:
        return
    other = "ZeRO" if config.stage else config.precision
    if other in ("ZeRO", "fp16", "bf16"):
        yield Objection(
            target(entry.value).span,
            f"amp is enabled beside {other}; they exclude each other ({config.judged_by})",
            cause="DeepSpeed stops when it builds the engine.",
            help="Use fp16 or bf16 without amp.",
        )


def _loss_scaling(config: DeepSpeedConfig) -> Iterator[Objection]:
    for name in ("bf16", "bfloat16"):
        section, mapping = config.section(name), config.mapping(name)
        if section is None or mapping is None:
            continue
        for key, entry in mapping.index.items():
            if key not in FP16_ONLY or key in section.keys or config.is_auto(f"{name}.{key}"):
                continue
            yield Objection(
                entry.key.span,
                f"{key} is a key of fp16; bf16 has no loss scaling ({config.judged_by})",
                severity=ERROR if section.refuses else WARNING,
                cause='DeepSpeed stops with "Extra inputs are not permitted".'
                if section.refuses
                else "This release ignores it; 0.17.1 and newer refuse it.",
                help="Take it out.",
                fix=repair(
                    f"take out {key}",
                    edit.remove_entry(config.document, mapping, entry),
                    safe=True,
                ),
            )
