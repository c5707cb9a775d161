"""A key that this kind of run cannot do without.

## What it flags

`model_name_or_path` absent anywhere, `dataset` absent under `do_train: true`, `reward_model`
absent under `stage: ppo`, `export_quantization_dataset` absent beside `export_quantization_bit`,
`template` for releases up to 0.9.1, `output_dir` where the deployed transformers demands it.

## Why it fails

    ValueError: Please provide `model_name_or_path`.
    ValueError: Please specify dataset for training.
    ValueError: `reward_model` is necessary for PPO training.

A misspelt key is `lf-unknown-key`'s. A command that gives the key itself (`llamafactory-cli train
a.yaml dataset=identity`, since 0.9.3) silences the rule.

## Example

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    output_dir: saves/qwen

Repair: name the data.

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset: identity
    output_dir: saves/qwen
"""

from collections.abc import Iterator

from cfglint.llamafactory.arguments import arguments
from cfglint.llamafactory.faults import faults, origin, unknown_keys
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="LF004",
    name="lf-missing-key",
    severity=ERROR,
    summary="a key that this kind of run cannot do without",
    kinds=("llamafactory",),
    symptoms=(
        r"Please provide `model_name_or_path`", r"Please specify (dataset|`?\w+`?) (for|to)",
        r"`reward_model` is necessary", r"Quantization dataset is necessary",
        r"the following arguments are required: --output_dir",
        r"missing \d+ required positional argument",
    ),
    yields_to=("RUN007",),
)  # fmt: skip


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The absent keys that the checks ask for, and the fields without a default."""
    given = arguments(document, project)
    if given is None or not given.root.entries:
        return
    first = next(iter(given.root.index.values()), None)
    missing = [fault for fault in faults(given) if fault.kind == "missing"]
    absent = given.absent()
    # lf-unknown-key says it of a key that is only misspelt.
    misspelt = {key.meant for key in unknown_keys(given)} if missing or absent else set()
    for fault in missing:
        place = fault.entry or first
        if fault.key not in misspelt and place is not None:
            yield RULE.finding(
                document, place.key.span,
                f"{fault.key} is missing ({given.judged_by}, {given.llamafactory.source})",
                cause=f'"{fault.failure.error}: {fault.failure.says}"', help=f"Add {fault.key}.",
            )  # fmt: skip
    for key in absent:
        if key not in misspelt and first is not None:
            yield RULE.finding(
                document, first.key.span, f"{key} is missing ({origin(given, key)})",
                cause=f"\"TypeError: __init__() missing 1 required positional argument: '{key}'\"",
                help=f"Add {key}.",
            )  # fmt: skip
