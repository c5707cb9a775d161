"""A dataset that the stage or the mode of a run cannot use.

## What it flags

With the dataset_info.json of the tree at hand:

- a preference dataset (`"ranking": true`) in a stage that wants none, or another one under `rm`
  or `dpo`;
- `streaming: true` with a dataset read from a file and no `dataloader_num_workers`: since 0.9.3 the
  file is cut into as many shards as there are workers, and the default is none (a warning).

## Why it fails

    ValueError: The dataset is not applicable in the current training stage.
    StopIteration

## Example

    === data/dataset_info.json
    {"pairs": {"file_name": "pairs.json", "ranking": true}}
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

from cfglint.arguments import Arguments, arguments
from cfglint.datasets import NamedDataset, named
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Related, Rule, Scalar, edit, repair
from cfglint.schemadata import order

RULE = Rule(
    code="LF009",
    name="lf-dataset-use",
    severity=ERROR,
    summary="a dataset that the stage or mode of a run cannot use",
    fix="safe",
    kinds=("llamafactory",),
    symptoms=(r"The dataset is not applicable in the current training stage", r"StopIteration"),
)
PAIRED = ("rm", "dpo")
STAGES = ("pt", "sft", "rm", "ppo", "dpo", "kto")


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The datasets whose table entry does not fit the run."""
    given = arguments(document, project)
    if given is None or given.form != "train" or given.value("stage") not in STAGES:
        return
    datasets = [d for d in named(given) if d.description is not None]
    for dataset in datasets:
        found = _unfit(given, dataset)
        if found is not None:
            yield found
    if any(d.is_file for d in datasets) and _has_no_shards(given):
        entry = given.entry("streaming")
        added = edit.insert_entry(document, given.root, "dataloader_num_workers", 1, after=entry)
        assert entry is not None
        yield RULE.finding(
            document, entry.span, "streaming a file with dataloader_num_workers: 0 (the default)",
            severity=WARNING,
            cause="The file is cut into no shards, and reading it ends in a StopIteration.",
            help="Set dataloader_num_workers: 1 or more.",
            fix=repair("set dataloader_num_workers: 1", added, safe=True),
        )  # fmt: skip


def _unfit(given: Arguments, dataset: NamedDataset) -> Finding | None:
    assert dataset.description is not None
    ranking = dataset.description.get("ranking")
    paired = isinstance(ranking, Scalar) and ranking.value is True
    stage = given.value("stage")
    if paired == (stage in PAIRED):
        return None
    what = "holds pairs" if paired else "holds no pairs"
    entry = given.entry("stage")
    return RULE.finding(
        given.document,
        dataset.span,
        f"{dataset.name} {what} (ranking in dataset_info.json), which stage {stage} cannot use",
        cause='"ValueError: The dataset is not applicable in the current training stage."',
        help="Use data for this stage, or the stage for this data.",
        related=[] if entry is None else [Related(given.document, entry.span, "the stage")],
    )


def _has_no_shards(given: Arguments) -> bool:
    return (
        given.value("streaming") is True
        and given.settled("dataloader_num_workers") == 0
        and "dataloader_num_workers" not in given.given
        and order(given.release.version) >= order("0.9.3")
    )
