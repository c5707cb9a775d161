"""A combination of settings that LLaMA-Factory or transformers refuses.

## What it flags

Every combination that the deployed versions' own checks refuse and that the file (with the
DeepSpeed JSON it names) shows: quantisation with full tuning, `interleave_probs` without
interleaving, Unsloth under ZeRO-3, streaming without `max_steps`, an `eval_strategy` with nothing
to evaluate on, and some eighty more. The checks were read from the source of each release.

## Why it fails

The checks run when the arguments are parsed, on every rank, or when the stage, model or optimizer
is made. Each ends the run:

    ValueError: Quantization is only compatible with the LoRA or OFT method.
    ValueError: Unsloth is incompatible with DeepSpeed ZeRO-3.
    NotImplementedError: Unknown optim: adamw_torch_fused.

## Example

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: full
    template: qwen
    dataset: identity
    output_dir: saves/qwen
    use_dora: true

Repair: DoRA is a kind of LoRA; full tuning does without.

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: full
    template: qwen
    dataset: identity
    output_dir: saves/qwen
"""

from collections.abc import Iterator
from typing import Any

from cfglint.argument_faults import ArgumentFault, faults, partners, passes, shown
from cfglint.arguments import UNKNOWN, Arguments, arguments
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Fix, Related, Rule, edit, repair
from cfglint.validate import spelled

RULE = Rule(
    code="LF003",
    name="lf-constraint",
    severity=ERROR,
    summary="a combination of settings that LLaMA-Factory refuses",
    fix="safe",
    kinds=("llamafactory",),
    symptoms=(
        r"is only compatible with the LoRA", r"is only valid for (the )?\w+ (method|training)",
        r"is incompatible with (DeepSpeed|`?streaming|S\^2)", r"cannot be set as True except SFT",
        r"Cannot (use|specify|create) .* (together|if|upon)", r"Unknown optim",
        r"At most one of fp16 and bf16", r"--load_best_model_at_end requires",
        r"Please make sure eval_dataset be provided", r"Please specify `max_steps` in streaming",
        r"bsz should be 1 for neat packing", r"only accepts [\d/]+.*bit",
    ),
    yields_to=("RUN006", "RUN007"),
)  # fmt: skip

# Settings that do nothing in the run that refuses them: leaving them out makes it what it says.
IDLE = frozenset(
    ("quantization_device_map", "load_best_model_at_end", "infer_backend", "loraplus_lr_ratio",
     "use_rslora", "use_dora", "pissa_init", "dataloader_prefetch_factor")
)  # fmt: skip
# Settings that the refusal asks for.
WANTED: tuple[tuple[str, Any], ...] = (
    ("optim", "adamw_torch"), ("predict_with_generate", True), ("per_device_train_batch_size", 1),
)  # fmt: skip


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The combinations that the file's own checks refuse."""
    given = arguments(document, project)
    for fault in faults(given) if given else ():
        if given and fault.kind == "combination" and fault.entry is not None:
            yield _finding(given, fault)


def _finding(given: Arguments, fault: ArgumentFault) -> Finding:
    failure = fault.failure
    others = [shown(given, key) for key in partners(given, fault)]
    if "zero3" in failure.contexts:
        others = ["DeepSpeed ZeRO stage 3"]
    with_ = f" with {_listed(others)}" if others else ""
    assert fault.entry is not None
    says = failure.says.replace("{}", "...")
    fix = _fix(given, fault)
    return RULE.finding(
        given.document,
        fault.entry.span,
        f"{shown(given, fault.key)}{with_} is refused ({given.llamafactory})",
        cause=f'{"Once the run begins: " if failure.late else ""}"{failure.error}: {says}"',
        help=f"{fix.title[0].upper()}{fix.title[1:]}." if fix else "Give one of them up.",
        fix=fix,
        related=_related(given, fault),
    )


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def _related(given: Arguments, fault: ArgumentFault) -> list[Related]:
    keys = ["deepspeed"] if "zero3" in fault.failure.contexts else []
    keys += [key for key in partners(given, fault) if key != "deepspeed"]
    entries = [(key, given.entry(key)) for key in keys]
    return [Related(given.document, e.span, key) for key, e in entries if e is not None]


def _fix(given: Arguments, fault: ArgumentFault) -> Fix | None:
    """Leave out what does nothing, or add what the refusal asks for."""
    document, root, key = given.document, given.root, fault.key
    idle = IDLE if "stage" in fault.failure.keys else IDLE - {"load_best_model_at_end"}
    if key in idle and fault.entry is not None and passes(given, fault, **{key: UNKNOWN}):
        return repair(f"take out {key}", edit.remove_entry(document, root, fault.entry), safe=True)
    for name, value in WANTED:
        if name not in fault.failure.keys or not passes(given, fault, **{name: value}):
            continue
        entry = given.entry(name)
        title = f"set {name}: {spelled(value)}"
        if entry is not None and name == "per_device_train_batch_size":
            return repair(title, edit.set_value(document, entry.value, value), safe=True)
        if entry is None:
            added = edit.insert_entry(document, root, name, value, after=fault.entry)
            return repair(title, added, safe=True)
    return None
