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

from collections.abc import Iterator

from cfglint.argument_faults import UnknownKey, unknown_keys
from cfglint.arguments import Arguments, arguments
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Fix, Rule, edit, repair
from cfglint.versions import Version

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


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The keys that are left over."""
    given = arguments(document, project)
    for key in unknown_keys(given) if given else ():
        assert given is not None
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
        yield RULE.finding(
            document,
            key.entry.key.span,
            f"{key.name} is no key of a config for {PURPOSE[given.form]} in {versions}{other}"
            f" ({_judge(given, key).source})",
            severity=ERROR if key.certain else WARNING,
            cause=f"\"Some keys are not used by the HfArgumentParser: ['{key.name}']\"",
            help=HELP.get(key.reason, instead),
            fix=_fix(given, key),
        )


def _judge(given: Arguments, key: UnknownKey) -> Version:
    """The version that decides over a key."""
    return given.transformers if key.taker.startswith("transformers") else given.llamafactory


def _fix(given: Arguments, key: UnknownKey) -> Fix | None:
    """The right name, or nothing where the key was at its old default and so did nothing."""
    if key.reason in ("megatron", "fork"):
        return None
    if key.meant:
        if given.section.keys[key.meant].fault(given.given[key.name]) is not None:
            return None
        renamed = edit.rename_key(given.document, key.entry, key.meant)
        return repair(f"call it {key.meant}", renamed, safe=True)
    if not key.idle:
        return None
    removed = edit.remove_entry(given.document, given.root, key.entry)
    return repair(f"take out {key.name}, which has its old default", removed, safe=True)
