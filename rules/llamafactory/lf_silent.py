"""A setting that LLaMA-Factory takes and then does not honour.

## What it flags

- `quantization_bit` with a `quantization_method` that only pre-quantised weights know (or with
  `bitsandbytes`, which releases since 0.9.3 call `bnb`): the model is loaded unquantised.
- `master_addr` and `master_port` in the YAML: only Ray reads them; torchrun gets its own from the
  environment.
- `warmup_ratio` beside `warmup_steps`: one of them counts, and which one depends on transformers.
- `resume_from_checkpoint` for reward models and PPO with full or freeze tuning: it is dropped.

## Why it fails

Nothing fails: the run does something else than the file says, at most with a line in the log.

## Example

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset: identity
    output_dir: saves/qwen
    quantization_bit: 4
    quantization_method: bitsandbytes

Repair: the method's name in this release.

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset: identity
    output_dir: saves/qwen
    quantization_bit: 4
    quantization_method: bnb

## When to ignore it

When the weights are quantised already: `quantization_bit` has no effect on them, and can go.
"""

from collections.abc import Iterator

from cfglint.arguments import UNKNOWN, Arguments, arguments
from cfglint.project import Project
from cfglint.rule import WARNING, Document, Finding, Rule, edit, repair

RULE = Rule(
    code="LF007",
    name="lf-silent",
    severity=WARNING,
    summary="a setting that LLaMA-Factory takes and does not honour",
    fix="safe",
    kinds=("llamafactory",),
    symptoms=(
        r"`quantization_bit` will not affect on the PTQ-quantized models",
        r"Cannot resume from checkpoint in current stage",
        r"Both warmup_ratio and warmup_steps given", r"warmup_ratio is deprecated",
    ),
)  # fmt: skip


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The settings without their effect."""
    given = arguments(document, project)
    if given is None or given.form not in ("train", "infer", "export"):
        return
    yield from _quantization(given)
    for key in ("master_addr", "master_port"):
        if key in given.section.keys and given.given.get(key) is not None and not given.ray:
            why = "only Ray reads it; torchrun takes the environment's MASTER_ADDR and MASTER_PORT"
            yield _finding(given, key, why, "Set it in the environment.")
    ratio, steps = given.given.get("warmup_ratio"), given.given.get("warmup_steps")
    if given.form == "train" and _positive(ratio) and _positive(steps):
        newer = given.transformers.number and int(given.transformers.number.split(".")[0]) >= 5
        lost, kept = ("steps", "ratio") if newer else ("ratio", "steps")
        yield _finding(
            given,
            f"warmup_{lost}",
            f"warmup_{kept} counts instead ({given.transformers})",
            f"Leave warmup_{lost} out.",
        )
    dropped = given.value("stage") in ("rm", "ppo") and given.value("finetuning_type") != "lora"
    if dropped and given.given.get("resume_from_checkpoint"):
        yield _finding(
            given, "resume_from_checkpoint", "this stage starts anew", "Leave it out, or use LoRA."
        )


def _positive(value: object) -> bool:
    return isinstance(value, int | float) and value > 0


def _quantization(given: Arguments) -> Iterator[Finding]:
    """On-the-fly quantisation has branches for three methods; the others fall through."""
    method, bits = given.value("quantization_method"), given.given.get("quantization_bit")
    spec = given.spec("quantization_method")
    if bits is None or bits is UNKNOWN or not isinstance(method, str) or spec is None:
        return
    bnb = "bnb" if "bnb" in spec.choices else "bitsandbytes"
    entry = given.entry("quantization_method")
    if method in (bnb, "hqq", "eetq") or entry is None:
        return
    fix = None
    if method in ("bnb", "bitsandbytes"):
        edited = edit.set_value(given.document, entry.value, bnb)
        fix = repair(f"quantization_method: {bnb}", edited, safe=True)
    yield RULE.finding(
        given.document, entry.value.span,
        f"quantization_method: {method} does not quantise: {given.llamafactory.title} loads the"
        f" model as it is ({given.llamafactory.source})",
        cause="No message at all: the model takes the memory of the full weights.",
        help=f"Quantising while loading takes {bnb}, hqq or eetq.", fix=fix,
    )  # fmt: skip


def _finding(given: Arguments, key: str, why: str, help_: str) -> Finding:
    entry = given.entry(key)
    assert entry is not None
    return RULE.finding(given.document, entry.span, f"{key} has no effect: {why}", help=help_)
