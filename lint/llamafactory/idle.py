"""Settings that LLaMA-Factory takes and does not honour.

Sources: LLaMA-Factory, model/model_utils/quantization.py, hparams/parser.py; transformers,
training_args.py: `get_warmup_steps`.
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.llamafactory.arguments import UNKNOWN, Arguments
from cfglint.releases.objection import Objection
from cfglint.rule import repair
from cfglint.syntax import editing as edit


def idle(given: Arguments) -> Iterator[Objection]:
    """The settings of a config without their effect."""
    if given.form not in ("train", "infer", "export"):
        return
    yield from _quantization(given)
    for key in ("master_addr", "master_port"):
        if key in given.section.keys and given.given.get(key) is not None and not given.ray:
            why = "only Ray reads it; torchrun takes the environment's MASTER_ADDR and MASTER_PORT"
            yield _idle(given, key, why, "Set it in the environment.")
    ratio, steps = given.given.get("warmup_ratio"), given.given.get("warmup_steps")
    if given.form == "train" and _positive(ratio) and _positive(steps):
        newer = given.transformers.number and int(given.transformers.number.split(".")[0]) >= 5
        lost, kept = ("steps", "ratio") if newer else ("ratio", "steps")
        yield _idle(
            given,
            f"warmup_{lost}",
            f"warmup_{kept} counts instead ({given.transformers})",
            f"Leave warmup_{lost} out.",
        )
    dropped = given.value("stage") in ("rm", "ppo") and given.value("finetuning_type") != "lora"
    if dropped and given.given.get("resume_from_checkpoint"):
        yield _idle(
            given, "resume_from_checkpoint", "this stage starts anew", "Leave it out, or use LoRA."
        )


def _positive(value: object) -> bool:
    return isinstance(value, int | float) and value > 0


def _quantization(given: Arguments) -> Iterator[Objection]:
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
    yield Objection(
        entry.value.span,
        f"quantization_method: {method} does not quantise: {given.llamafactory.title} loads the"
        f" model as it is ({given.llamafactory.source})",
        cause="No message at all: the model takes the memory of the full weights.",
        help=f"Quantising while loading takes {bnb}, hqq or eetq.",
        fix=fix,
    )


def _idle(given: Arguments, key: str, why: str, help_: str) -> Objection:
    entry = given.entry(key)
    assert entry is not None
    return Objection(entry.span, f"{key} has no effect: {why}", help=help_)
