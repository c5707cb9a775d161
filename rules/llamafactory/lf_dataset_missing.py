"""A dataset that its dataset_info.json does not list.

## What it flags

A name under `dataset` or `eval_dataset` that is in none of the `dataset_info.json` files which
the config's `dataset_dir` can mean, where the tree has such a file. A trailing comma makes an
empty name.

## Why it fails

    ValueError: Undefined dataset my_data.json in dataset_info.json.

What belongs here is the entry's name, not the name of a data file.

## Example

    === data/dataset_info.json
    {"identity": {"file_name": "identity.json"}}
    === data/identity.json
    []
    === sft.yaml
    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset_dir: data
    dataset: identity.json
    output_dir: saves/qwen

Repair: the name of the entry.

    === sft.yaml
    model_name_or_path: Qwen/Qwen2.5-7B-Instruct
    stage: sft
    do_train: true
    finetuning_type: lora
    template: qwen
    dataset_dir: data
    dataset: identity
    output_dir: saves/qwen

## When to ignore it

When the table that the job reads on the cluster is another one than the tree's.
"""

from collections.abc import Iterator

from cfglint.llamafactory.arguments import arguments
from cfglint.llamafactory.datasets import NamedDataset, named
from cfglint.project import Project
from cfglint.rule import WARNING, Document, Finding, Rule, near

RULE = Rule(
    code="LF005",
    name="lf-dataset-missing",
    severity=WARNING,
    summary="a dataset that its dataset_info.json does not list",
    kinds=("llamafactory",),
    symptoms=(
        r"Undefined dataset .* in dataset_info\.json",
        r"Cannot open .*dataset_info\.json",
    ),
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The names that no possible table has."""
    given = arguments(document, project)
    for dataset in named(given) if given and given.form == "train" else ():
        if dataset.entry is None and not dataset.name.startswith("$"):
            where = " or ".join(table.path for table in dataset.tables)
            meant = _meant(dataset)
            yield RULE.finding(
                document,
                dataset.span,
                f"{dataset.name or 'the empty name'} is no dataset of {where}",
                cause=f'"ValueError: Undefined dataset {dataset.name} in dataset_info.json."',
                help=f"{meant} is one." if meant else "Name an entry, or add one.",
            )


def _meant(dataset: NamedDataset) -> str | None:
    known = {name for table in dataset.tables for name in table.root.names()}
    stem = dataset.name.rpartition("/")[2].rpartition(".")[0]
    return stem if stem in known else near(dataset.name, known) if dataset.name else None
