"""A dataset that the stage or the mode of a run cannot use.

## What it flags

With the dataset_info.json of the tree at hand:

- a preference dataset (`"ranking": true`) in a stage that wants none, or another one under `rm`
  or `dpo`;
- a dataset for `kto` whose `columns` name no `kto_tag`;
- `streaming: true` with a dataset read from a file and no `dataloader_num_workers`: since 0.9.3 the
  file is cut into as many shards as there are workers, and the default is none (a warning).

## Why it fails

    ValueError: The dataset is not applicable in the current training stage.
    RuntimeError: Cannot find valid samples, check `data/README.md` for the data format.
    StopIteration

## Example

    === data/dataset_info.json
    {"pairs": {"file_name": "pairs.json", "ranking": true,
               "columns": {"prompt": "question", "chosen": "good", "rejected": "bad"}}}
    === data/pairs.json
    []
    === train.yaml
    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset_dir: data
    dataset: pairs
    output_dir: saves/qwen

Repair: the stage for such data, or data for this stage.

    === train.yaml
    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: dpo
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset_dir: data
    dataset: pairs
    output_dir: saves/qwen
"""

from collections.abc import Iterator

from cfglint.llamafactory.arguments import arguments
from cfglint.llamafactory.dataset_fit import objections
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="LF009",
    name="lf-dataset-use",
    severity=ERROR,
    summary="a dataset that the stage or mode of a run cannot use",
    fix="safe",
    kinds=("llamafactory",),
    symptoms=(
        r"The dataset is not applicable in the current training stage",
        r"StopIteration",
        r"Cannot find valid samples",
    ),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The datasets whose table entry does not fit the run."""
    given = arguments(document, project)
    for objection in objections(given) if given else ():
        yield objection.finding(RULE, document)
