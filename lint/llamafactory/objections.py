"""What LLaMA-Factory objects to in a config, in the words that rules say: unknown keys, values of
the wrong type, refused combinations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from cfglint.llamafactory.arguments import UNKNOWN, Arguments
from cfglint.llamafactory.faults import (
    ArgumentFault,
    UnknownKey,
    faults,
    origin,
    partners,
    passes,
    shown,
    suspects,
    unknown_keys,
)  # fmt: skip
from cfglint.llamafactory.history import may_take
from cfglint.model.edit import Fix
from cfglint.releases.data import Spec, kind_of
from cfglint.releases.objection import Objection
from cfglint.releases.validate import accepted, described, meant, spelled
from cfglint.releases.versions import Version
from cfglint.rule import ERROR, WARNING, Related, repair
from cfglint.syntax import editing as edit

# Keys whose successor counts in another way, so that the value cannot be carried over.
INSTEAD = {
    "image_resolution": "image_max_pixels (its square: 512 becomes 262144)",
    "video_resolution": "video_max_pixels (its square: 128 becomes 16384)",
    "train_mm_proj_only": "freeze_vision_tower and freeze_language_model: true, with"
    " freeze_multi_modal_projector: false",
    "group_by_length": "train_sampling_strategy: group_by_length",
    "fsdp_transformer_layer_cls_to_wrap": "fsdp_config: {transformer_layer_cls_to_wrap: ...}",
    "fsdp_min_num_params": "fsdp_config: {min_num_params: ...}",
}
HELP = {
    "derived": "Take it out: LLaMA-Factory sets it by itself, no file can.",
    "megatron": "Only USE_MCA=1 with mcore_adapter takes Megatron's keys.",
    "fork": "It needs the transformers-kt fork.",
}
PURPOSE = {
    "train": "training", "infer": "chat or serving", "export": "export", "eval": "evaluation",
    "v1": "the v1 trainer",
}  # fmt: skip
# Settings that do nothing in the run that refuses them: leaving them out makes it what it says.
# What transformers, vLLM and the models' own pages call a value.
_QWEN = {f"{name}{ending}" for name in ("qwen2", "qwen25", "qwen2.5", "qwen2_5")
         for ending in ("", "_instruct", "-instruct")}  # fmt: skip
NAMES: dict[str, dict[str, str]] = {
    "flash_attn": {"flash_attention_2": "fa2", "flash_attention": "fa2", "eager": "disabled"},
    "infer_backend": {"hf": "huggingface", "transformers": "huggingface"},
    "template": dict.fromkeys(_QWEN, "qwen")
    | dict.fromkeys(("qwen2.5_vl", "qwen2_5_vl", "qwen25_vl", "qwen2.5-vl"), "qwen2_vl"),
}
IDLE = frozenset(
    ("quantization_device_map", "load_best_model_at_end", "infer_backend", "loraplus_lr_ratio",
     "use_rslora", "use_dora", "pissa_init", "dataloader_prefetch_factor")
)  # fmt: skip
# Settings that the refusal asks for.
WANTED: tuple[tuple[str, Any], ...] = (
    ("optim", "adamw_torch"), ("predict_with_generate", True), ("per_device_train_batch_size", 1),
)  # fmt: skip

# What refusals ask of two settings that both stay: the words that tell, and the advice.
ADVICE = (
    ("strategy to match", "Give eval_strategy and save_strategy the same value."),
    ("multiple of the evaluation steps", "Make save_steps a multiple of eval_steps."),
)


def of_keys(given: Arguments) -> Iterator[Objection]:
    """The keys that are left over."""
    for key in unknown_keys(given):
        yield _left_over(given, key)


def of_values(given: Arguments) -> Iterator[Objection]:
    """The values that the loader chokes on, then those that it takes for something else."""
    refused = {f.key for f in faults(given)}
    for fault in faults(given):
        if fault.kind != "value" or fault.entry is None or _is_of_fork(given, fault):
            continue
        if not is_filled_in(given.given[fault.key]):
            yield _refused(given, fault)
    for key, spec, value in suspects(given):
        entry = given.entry(key)
        if key in refused or entry is None or is_filled_in(value):
            continue
        if _misread(spec, value):
            yield Objection(
                entry.value.span,
                f"{key}: {_written(given, key)} is {_is_what(spec, value)}",
                f"{given.judged_by} does not check this and goes on with the wrong value.",
                _help(spec, value),
                severity=WARNING,
                fix=_mend_value(given, key, spec),
            )
    yield from _no_samples(given)


def of_flags(given: Arguments) -> Iterator[Objection]:
    """The values of flags that are not among the choices."""
    for fault in faults(given):
        if fault.kind == "value" and fault.entry is not None and not _is_of_fork(given, fault):
            yield _refused(given, fault)
    yield from _no_samples(given)


def is_filled_in(value: Any) -> bool:
    """Whether a value is a variable and nothing else: something writes the real one, or
    lf-literal-variable says that nothing does."""
    return (
        isinstance(value, str) and re.fullmatch(r"\$(\{[^}\s]+\}|[A-Za-z_]\w*)", value) is not None
    )


def of_combinations(given: Arguments) -> Iterator[Objection]:
    """The combinations that the file's own checks refuse."""
    for fault in faults(given):
        if fault.kind == "combination" and fault.entry is not None:
            yield _combined(given, fault)


# -- keys ------------------------------------------------------------------------------------------


def _left_over(given: Arguments, key: UnknownKey) -> Objection:
    versions = given.llamafactory.title
    if given.form == "train":
        versions += f" with {given.transformers.title}"
    other = f"; {key.taker} was the last that took it" if key.taker else ""
    instead = f"Call it {key.meant}." if key.meant else "Take it out."
    if key.is_newer:
        other = f"; {key.taker} is the first that takes it"
        instead = f"Install {key.taker} or newer, or take the key out."
    if key.name in INSTEAD:
        instead = f"Use {INSTEAD[key.name]}."
    return Objection(
        key.entry.key.span,
        f"{key.name} is no {given.NOUN} for {PURPOSE[given.form]} in {versions}{other}"
        f" ({_judge(given, key).source})",
        severity=ERROR if key.certain else WARNING,
        cause=f'"Some {given.LEFT_OVER} are not used by the HfArgumentParser:'
        f' [{given.written(key.name)}]"',
        help=HELP.get(key.reason, instead),
        fix=_mend_key(given, key),
    )


def _judge(given: Arguments, key: UnknownKey) -> Version:
    """The version that decides over a key."""
    return given.transformers if key.taker.startswith("transformers") else given.llamafactory


def _mend_key(given: Arguments, key: UnknownKey) -> Fix | None:
    """The right name, or nothing where the key was at its old default and so did nothing."""
    if key.reason in ("megatron", "fork"):
        return None
    if key.meant:
        if given.section.keys[key.meant].fault(given.given[key.name]) is not None:
            return None
        renamed = given.renamed(key.entry, key.meant)
        return repair(f"call it {key.meant}", renamed, safe=True)
    if not key.idle:
        return None
    removed = given.removed(key.entry)
    return repair(f"take out {key.name}, which has its old default", removed, safe=True)


# -- values ----------------------------------------------------------------------------------------


def _is_of_fork(given: Arguments, fault: ArgumentFault) -> bool:
    """Whether the LLaMA-Factory in the tree added this choice: no release has it for any key."""
    value, spec = given.given[fault.key], given.spec(fault.key)
    if not (fault.failure.choices or (spec and spec.choices)):
        return False
    from cfglint.llamafactory.vendored import names_value

    released = any(value in other.choices for other in given.section.keys.values())
    return not released and names_value(given.document, given.project, value)


def _refused(given: Arguments, fault: ArgumentFault) -> Objection:
    key, failure = fault.key, fault.failure
    spec, value = given.spec(key), given.given[key]
    choices = failure.choices or (spec.choices if spec else ())
    if choices or spec is None:
        spec = Spec(key, {"type": "str", "choices": [c for c in choices if c != value]})
    says = failure.says.replace("{}", spelled(value))
    cause = f'{"Once the run begins: " if failure.late else ""}"{failure.error}: {says}"'
    own = given.spec(key) if origin(given, key) is given.llamafactory else None
    if given.by_argparse and own is not None and own.choices:
        cause = f'"error: argument --{key}: invalid choice: {value!r}"'
    assert fault.entry is not None
    return Objection(
        fault.entry.value.span,
        f"{key}: {_written(given, key)} is {_is_what(spec, value)} ({origin(given, key)})",
        severity=WARNING if may_take(given, key, value) else ERROR,
        cause=cause,
        help=_help(spec, value),
        fix=_mend_value(given, key, spec),
    )


def _no_samples(given: Arguments) -> Iterator[Objection]:
    """data/loader.py: `dataset.select(range(min(max_samples, len(dataset))))`."""
    count, entry = given.given.get("max_samples"), given.entry("max_samples")
    trains = given.form == "train" and not given.given.get("tokenized_path")
    if not trains or entry is None or type(count) is not int or count > 0:
        return
    fix = repair("take it out: all samples count then", given.removed(entry), safe=True)
    yield Objection(
        entry.value.span,
        f"max_samples: {count} leaves no sample",
        cause='"RuntimeError: Cannot find valid samples"',
        help="Leave it out to take all samples.",
        fix=fix if count == -1 else None,
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


def _mend_value(given: Arguments, key: str, spec: Spec) -> Fix | None:
    """The value of the right type that was plainly meant."""
    entry, value = given.entry(key), given.given[key]
    named = NAMES.get(key, {}).get(value.lower()) if isinstance(value, str) else None
    right = named if named in spec.choices else meant(spec, value)
    safe = right != named or not may_take(given, key, value)
    if key == "template" and right != named:  # another model's, it may be
        safe = _letters(right) == _letters(value)
    if isinstance(value, str) and key == "fsdp" and "," in value:
        right = " ".join(value.replace(",", " ").split())
    if right is None or entry is None:
        return None
    change = given.changed(entry, right)
    return repair(f"{key}: {edit.written(change, right)}", change, safe=safe)


def _letters(name: Any) -> str:
    return re.sub(r"[\W_]+", "", str(name).lower())


# -- combinations ----------------------------------------------------------------------------------


def _combined(given: Arguments, fault: ArgumentFault) -> Objection:
    failure = fault.failure
    others = [shown(given, key) for key in partners(given, fault)]
    if "zero3" in failure.contexts:
        others = ["DeepSpeed ZeRO stage 3"]
    with_ = f" with {_listed(others)}" if others else ""
    assert fault.entry is not None
    says = failure.says.replace("{}", "...")
    fix = _mend_combination(given, fault)
    advice = (help for words, help in ADVICE if words in says)
    return Objection(
        fault.entry.span,
        f"{shown(given, fault.key)}{with_} is refused ({given.llamafactory})",
        cause=f'{"Once the run begins: " if failure.late else ""}"{failure.error}: {says}"',
        help=fix.advice if fix else next(advice, "Give one of them up."),
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


def _mend_combination(given: Arguments, fault: ArgumentFault) -> Fix | None:
    """Leave out what does nothing, or add what the refusal asks for."""
    key = fault.key
    idle = IDLE if "stage" in fault.failure.keys else IDLE - {"load_best_model_at_end"}
    if key in idle and fault.entry is not None and passes(given, fault, **{key: UNKNOWN}):
        return repair(f"take out {key}", given.removed(fault.entry), safe=True)
    for name, value in WANTED:
        if name not in fault.failure.keys or not passes(given, fault, **{name: value}):
            continue
        entry = given.entry(name)
        title = f"set {name}: {spelled(value)}"
        if entry is not None and name == "per_device_train_batch_size":
            return repair(title, given.changed(entry, value), safe=True)
        if entry is None:
            return repair(title, given.added(name, value, fault.entry), safe=True)
    return None
