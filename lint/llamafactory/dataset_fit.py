"""Whether the datasets that a run names fit its stage and the way it reads them.

Sources: LLaMA-Factory, data/loader.py: `_get_merged_dataset`; data/parser.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from cfglint.llamafactory.arguments import Arguments
from cfglint.llamafactory.datasets import NamedDataset, named
from cfglint.model.tree import Mapping, Scalar
from cfglint.releases.data import order
from cfglint.releases.objection import Objection
from cfglint.rule import WARNING, Related, near, repair
from cfglint.syntax import editing as edit

PAIRED = ("rm", "dpo")
STAGES = ("pt", "sft", "rm", "ppo", "dpo", "kto")


def objections(given: Arguments) -> Iterator[Objection]:
    """What the run objects to in the table entries of its datasets."""
    if given.form != "train" or given.value("stage") not in STAGES:
        return
    datasets = [d for d in named(given) if d.description is not None]
    for dataset in datasets:
        found = _unfit(given, dataset)
        if found is not None:
            yield found
    entry = given.entry("streaming")
    if entry is not None and any(d.is_file for d in datasets) and _has_no_shards(given):
        added = edit.insert_entry(
            given.document, given.root, "dataloader_num_workers", 1, after=entry
        )
        yield Objection(
            entry.span,
            "streaming a file with dataloader_num_workers: 0 (the default)",
            "The file is cut into no shards, and reading it ends in a StopIteration.",
            "Set dataloader_num_workers: 1 or more.",
            WARNING,
            repair("set dataloader_num_workers: 1", added, safe=True),
        )


def _unfit(given: Arguments, dataset: NamedDataset) -> Objection | None:
    assert dataset.description is not None
    ranking = dataset.description.get("ranking")
    paired = isinstance(ranking, Scalar) and ranking.value is True
    if ranking is not None and not isinstance(getattr(ranking, "value", None), bool):
        return None  # the loader asks `is True` and `is False`: a text is neither
    stage = given.value("stage")
    if paired == (stage in PAIRED):
        return _untagged(dataset) if stage == "kto" else None
    what = "holds pairs" if paired else "holds no pairs"
    entry = given.entry("stage")
    return Objection(
        dataset.span,
        f"{dataset.name} {what} (ranking in dataset_info.json), which stage {stage} cannot use",
        cause='"ValueError: The dataset is not applicable in the current training stage."',
        help="Use data for this stage, or the stage for this data.",
        related=[] if entry is None else [Related(given.document, entry.span, "the stage")],
    )


def _untagged(dataset: NamedDataset) -> Objection | None:
    """Data for stage kto whose rows say nowhere whether they are wanted."""
    columns = dataset.description.get("columns") if dataset.description is not None else None
    if isinstance(columns, Mapping) and any(near(n, ("kto_tag",)) for n in columns.names()):
        return None
    return Objection(
        dataset.span,
        f"{dataset.name} names no kto_tag in dataset_info.json, which stage kto needs",
        cause='Every example is dropped: "RuntimeError: Cannot find valid samples".',
        help='Name the column that holds true or false: "columns": {..., "kto_tag": "label"}.',
    )


def _has_no_shards(given: Arguments) -> bool:
    return (
        given.value("streaming") is True
        and given.settled("dataloader_num_workers") == 0
        and "dataloader_num_workers" not in given.given
        and order(given.release.version) >= order("0.9.3")
    )
