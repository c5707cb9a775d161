"""A value of the wrong type, or none of those that a key takes.

## What it flags

A value that LLaMA-Factory or transformers surely chokes on: a name that is not among the choices
(`stage: SFT`), text where numbers are compared (`image_max_pixels: 768*768`), a YAML truth value
where a word is meant (`eval_strategy: no`), a `max_samples` below 1, which leaves none. As
warnings: values of another type than the key's that nothing checks and that then mean something
else, such as `fp16: "false"`, which is true.

Of flags on a command line (`llamafactory-cli train --stage sft ...`) choices and `max_samples` are
checked.

## Why it fails

A YAML config is not parsed like command line flags: nothing converts or checks values by type.
Some are refused at once, some only when the model or the optimizer is made, some never:

    ValueError: False is not a valid IntervalStrategy, please select one of ['no', 'steps', 'epoch']
    ValueError: Unknown task: SFT.
    TypeError: '<' not supported between instances of 'str' and 'int'
    RuntimeError: Cannot find valid samples, check `data/README.md` for the data format.

## Example

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset: identity
    output_dir: saves/qwen
    save_strategy: no

Repair: quotes keep `no` a word.

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset: identity
    output_dir: saves/qwen
    save_strategy: "no"

Names that transformers or a model's page use become LLaMA-Factory's (`flash_attention_2`: `fa2`,
`qwen2.5`: `qwen`). A template that merely resembles another is only offered: it may be one of
another model.
"""

from collections.abc import Iterator

from cfglint.llamafactory.arguments import arguments
from cfglint.llamafactory.flags import flags
from cfglint.llamafactory.objections import of_flags, of_values
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Launch, Rule

RULE = Rule(
    code="LF002",
    name="lf-type",
    severity=ERROR,
    summary="a value of the wrong type, or not among a key's choices",
    fix="safe",
    unsafe_too=True,
    kinds=("llamafactory",),
    symptoms=(
        r"is not a valid \w+(Strategy|Names|Type|Option), please select one of",
        r"Unknown (task|attention type|loss type|mixing strategy|backend)",
        r"Invalid fine-tuning method", r"Template .* does not exist", r"Tool utils .* not found",
        r"'<=?' not supported between instances of 'str' and",
        r"Cannot find (?:valid|sufficient) samples",
        r"unsupported type for timedelta seconds component",
    ),
    yields_to=("SYN006", "LF007", "RUN007"),
)  # fmt: skip


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The values that the loader chokes on, or takes for something else."""
    given = arguments(document, project)
    for objection in of_values(given) if given else ():
        yield objection.finding(RULE, document)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The flags' values that are not among their choices."""
    given = flags(launch, project)
    for objection in of_flags(given) if given else ():
        yield objection.finding(RULE, launch.document)
