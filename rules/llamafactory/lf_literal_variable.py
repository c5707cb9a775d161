"""A variable in a config whose reader expands none.

## What it flags

`${NAME}` or `$NAME` in a value of a LLaMA-Factory config.

## Why it fails

The file is read by PyYAML or OmegaConf, neither of which looks at the environment here;
OmegaConf's own `${...}` interpolation is not resolved either. The text is used as it stands: a
folder called `${OUTPUT_DIR}` appears, a model of the name `$MODEL` is looked for on the hub.

    OSError: $MODEL_PATH is not a local folder and is not a valid model identifier

## Example

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset: identity
    output_dir: ${OUTPUT_DIR}/qwen

Repair: write the path, and let the command set what differs from run to run: `llamafactory-cli
train train.yaml output_dir=$OUTPUT_DIR/qwen` (0.9.3 and later).

    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset: identity
    output_dir: saves/qwen

## When to ignore it

When something fills the file in before it is used, such as envsubst. A script of the tree that
names the file without launching it silences the rule.
"""

import re
from collections.abc import Iterator

from cfglint.llamafactory.arguments import arguments
from cfglint.project import Project
from cfglint.rule import WARNING, Document, Finding, Rule

RULE = Rule(
    code="LF006",
    name="lf-literal-variable",
    severity=WARNING,
    summary="a variable in a LLaMA-Factory config, which is never expanded",
    kinds=("llamafactory",),
    symptoms=(r"\$\{?\w+\}? is not a (local folder|valid model identifier)",),
    cause="Nothing expands it: the text itself is the path or name that is used.",
    help="Write the value, or set the key on the command line: key=$VALUE after the file's name.",
)
VARIABLE = re.compile(r"\$\{[^}\s]+\}|\$[A-Za-z_]\w*")
PROSE = ("default_system",)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The variables in values, unless something may fill the file in."""
    given = arguments(document, project)
    found = [
        (key, value, hit[0])
        for key, value in (given.given.items() if given else ())
        if isinstance(value, str) and key not in PROSE and (hit := VARIABLE.search(value))
    ]
    if not found or given is None or not project.search_complete(document):
        return
    for key, value, variable in found:
        entry = given.entry(key)
        if entry is not None and key in given.section.keys:
            yield RULE.finding(
                document, entry.value.span, f"{variable} in {key}: {value} stays as it is"
            )
