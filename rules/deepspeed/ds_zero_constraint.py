"""ZeRO settings that DeepSpeed refuses together.

## What it flags

- `prescale_gradients` or a `gradient_predivide_factor` other than 1 with stage 2 or 3 and
  `reduce_scatter` (on by default);
- `legacy_stage1`, an odd `allgather_bucket_size` at stage 1 or 2;
- `compute_grad_norm: false` outside stage 1 and 2, with gradient clipping (on by default since
  0.19.3), ZenFlow or an offloaded optimizer;
- `gradient_allreduce_op: sum` with stage 3, ZenFlow or DeepCompile;
- the Muon optimizer at stage 3 with `reduce_scatter`;
- `zenflow` without an offloaded optimizer, or with an interval that its strategy does not take;
- `managed_gradient_accumulation: false` with `overlap_comm` below stage 2;
- `compile` offloads that exclude each other.

## Why it fails

    AssertionError: pre-scale gradients is not yet supported with ZeRO-2 with reduce scatter enabled
    Exception: The deprecated version of ZeRO Stage 1 is not supported in deepspeed >= 0.5.9. ...
    ValueError: zero_optimization.compute_grad_norm=false requires gradient_clipping=0
    ValueError: gradient_allreduce_op='sum' is not supported with ZeRO stage 3
    ValueError: Muon and reduce scatter cannot be used together
    ValueError: Zenflow must be used with cpu offload

## Example

    {
      "train_micro_batch_size_per_gpu": 1,
      "prescale_gradients": true,
      "zero_optimization": { "stage": 2 }
    }

Repair: one of the two.

    {
      "train_micro_batch_size_per_gpu": 1,
      "prescale_gradients": true,
      "zero_optimization": { "stage": 2, "reduce_scatter": false }
    }

## When to ignore it

Never: the job ends when the engine is built.

## References

DeepSpeed, runtime/zero/stage_1_and_2.py, runtime/zero/stage3.py, runtime/config.py:
`_do_error_check`, runtime/zenflow/, compile/init_z3.py.
"""

from collections.abc import Callable, Iterator

from cfglint.deepspeed_config import ABSENT, DeepSpeedConfig, configs_in
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Fix, Rule, edit, repair, resolve_alias

RULE = Rule(
    code="DS014",
    name="ds-zero-constraint",
    severity=ERROR,
    summary="ZeRO settings that DeepSpeed refuses together",
    fix="safe",
    kinds=("deepspeed", "llamafactory"),
    symptoms=(
        r"pre-scale gradients is not yet supported with ZeRO",
        r"gradient_predivide_factor != 1\.0 is not yet supported",
        r"deprecated version of ZeRO Stage 1 is not supported",
        r"compute_grad_norm=false (requires|does not support|is supported only)",
        r"gradient_allreduce_op='sum' is not supported",
        r"Muon and reduce scatter cannot be used together",
        r"Zenflow must be used with cpu offload",
    ),
    yields_to=("DS001", "DS003"),
)
ZERO = "zero_optimization"
Check = Callable[[DeepSpeedConfig, int], "str | None"]


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The refused combinations in the configs of a document."""
    for config in configs_in(document, project):
        if config.stage is None:
            continue
        for path, check, help_ in CHECKS:
            entry = config.entry(path)
            if entry is None or not config.knows(path):
                continue
            reason = check(config, config.stage)
            if reason is not None:
                yield RULE.finding(
                    document,
                    resolve_alias(entry.value).span,
                    f"{path}: {reason}",
                    cause="DeepSpeed stops when it builds the engine.",
                    help=help_,
                    fix=_fix(config, path),
                )


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


def _fix(config: DeepSpeedConfig, path: str) -> Fix | None:
    entry, mapping = config.entry(path), config.mapping(path.rpartition(".")[0])
    if not path.endswith("legacy_stage1") or entry is None or mapping is None:
        return None
    removal = edit.remove_entry(config.document, mapping, entry)
    return repair("take it out: stage 1 is the new one", removal, safe=True)


# Where a finding stands, what it asks, and the repair in words.
CHECKS: tuple[tuple[str, Check, str], ...] = (
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
