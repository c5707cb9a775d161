"""A key that the deployed LLaMA-Factory does not take.

## What it flags

A key of a LLaMA-Factory config that neither the deployed LLaMA-Factory nor the transformers under
it knows. Where the versions are not known and another one takes the key, it is a warning; so are
the keys of Megatron training, which exist only with USE_MCA=1 in the environment.

## Why it fails

The keys are the fields of LLaMA-Factory's argument classes and of transformers'
TrainingArguments. What is left over ends the run, on every rank, before the model is loaded:

    ValueError: Some keys are not used by the HfArgumentParser: ['max_seq_length']

Both packages rename and drop keys between releases (`evaluation_strategy`, `vllm_dtype`,
`group_by_length`), and a config for training has keys that one for chat or export refuses.

## Example

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset: identity
    output_dir: saves/qwen
    evaluation_strategy: "no"

Repair: the key's name in this version.

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset: identity
    output_dir: saves/qwen
    eval_strategy: "no"

## When to ignore it

When the job runs a fork with keys of its own, or with ALLOW_EXTRA_ARGS=1 set outside the
repository.
"""

import re
from collections.abc import Iterator

from cfglint.arguments import Arguments, arguments
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Entry, Finding, Fix, Rule, edit, repair

RULE = Rule(
    code="LF001",
    name="lf-unknown-key",
    severity=ERROR,
    summary="a key that the deployed LLaMA-Factory refuses",
    fix="safe",
    kinds=("llamafactory",),
    symptoms=(r"Some (keys|specified arguments) are not used by the HfArgumentParser",),
    yields_to=("RUN007",),
)
MEGATRON = re.compile(
    r"(tensor|pipeline|virtual_pipeline|context|expert)_(model_|tensor_)?parallel_size"
    r"|sequence_parallel|pipeline_model_parallel_layout|recompute_\w+|\w+_fusion|moe_\w+"
    r"|mtp_num_layers|use_distributed_optimizer|overlap_(grad_reduce|param_gather)"
)
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


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The keys that are left over."""
    given = arguments(document, project)
    if given is None:
        return
    unknown_keys = given.unknown()
    names = [name for name, _ in unknown_keys]
    megatron = given.form == "train" and any(MEGATRON.fullmatch(name) for name in names)
    strange = [n for n in names if given.elsewhere(n) is None]
    for name, entry in unknown_keys:
        # in a file for a fork the next best key is another thing, not a misspelling
        fork = len(strange) > 1 and name in strange
        yield _finding(given, name, entry, megatron, fork)


def _finding(given: Arguments, name: str, entry: Entry, megatron: bool, fork: bool) -> Finding:
    other = given.elsewhere(name)
    meant = other[1].replaced_by if other else None
    if meant is None and not fork:
        meant = given.nearest(name, entry)
    if meant in given.given or meant not in given.section.keys:
        meant = None
    versions = given.llamafactory.title
    if given.form == "train":
        versions += f" with {given.transformers.title}"
    message = f"{name} is no key of a config for {PURPOSE[given.form]} in {versions}"
    help_ = f"Call it {meant}." if meant else "Take it out."
    severity = WARNING if not given.pinned and given.may_know(name) else ERROR
    if given.derived(name):
        help_ = "Take it out: LLaMA-Factory sets it by itself, no file can."
    elif name in INSTEAD:
        help_ = f"Use {INSTEAD[name]}."
    if other:
        message += f"; {other[0]} was the last that took it"
    if megatron:
        severity = ERROR if given.pinned else WARNING
        help_ = "Only USE_MCA=1 with mcore_adapter takes Megatron's keys."
    elif name.startswith("kt_") and given.value("use_kt") is True and not given.pinned:
        severity, help_ = WARNING, "It needs the transformers-kt fork."
    return RULE.finding(
        given.document,
        entry.key.span,
        f"{message} ({given.llamafactory.source})",
        severity=severity,
        cause=f"\"Some keys are not used by the HfArgumentParser: ['{name}']\"",
        help=help_,
        fix=None if megatron else _fix(given, name, entry, meant),
    )


PURPOSE = {
    "train": "training", "infer": "chat or serving", "export": "export", "eval": "evaluation",
    "v1": "the v1 trainer",
}  # fmt: skip


def _fix(given: Arguments, name: str, entry: Entry, meant: str | None) -> Fix | None:
    """The right name, or nothing where the key was at its old default and so did nothing."""
    if meant:
        spec = given.section.keys[meant]
        value = given.given[name]
        if spec.fault(value) is None:
            return repair(
                f"call it {meant}", edit.rename_key(given.document, entry, meant), safe=True
            )
        return None
    other = given.elsewhere(name)
    if other and "default" in other[1].raw and other[1].raw["default"] == given.given[name]:
        removal = edit.remove_entry(given.document, given.root, entry)
        return repair(f"take out {name}, which has its old default", removal, safe=True)
    return None
