"""An entry of dataset_info.json that LLaMA-Factory cannot use, or reads only in part.

## What it flags

- an entry without a source (`file_name`, `hf_hub_url`, `ms_hub_url`, ...), with a `formatting` that
  has no converter, or with a `file_name` whose ending is none that it loads;
- `columns` that leave out what every row is read by (`messages`, under `ranking` `chosen` and
  `rejected`), `tags` without `role_tag` or `content_tag`, and a .txt file, whose one column is
  `text`, with another `prompt`;
- as warnings, keys that nothing reads: in the entry, in its `columns` and in its `tags`. Under
  `columns` the names are LLaMA-Factory's (`prompt`, `query`, `response`), the values yours; and
  `"ranking": "true"`, a text: any counts as true, and nothing compares it with the stage.

## Why it fails

    KeyError: 'file_name'
    ValueError: Dataset converter chatml not found.
    ValueError: Allowed file types: arrow,csv,json,jsonl,parquet,txt.
    KeyError: None

Unknown keys pass in silence, and giving `columns` or `tags` at all resets every one that it does
not list: `"instruction": "question"` leaves the dataset without a prompt.

## Example

    === data/dataset_info.json
    {
      "faq": {
        "file_name": "faq.json",
        "columns": {"instruction": "question", "response": "answer"}
      }
    }

Repair: LLaMA-Factory's name for the column.

    === data/dataset_info.json
    {
      "faq": {
        "file_name": "faq.json",
        "columns": {"prompt": "question", "response": "answer"}
      }
    }
"""

from collections.abc import Iterator

from cfglint.llamafactory.dataset_entries import objections
from cfglint.project import Project
from cfglint.releases.data import load
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="LF008",
    name="lf-dataset-entry",
    severity=ERROR,
    summary="an entry of dataset_info.json that cannot be used, or is read only in part",
    fix="safe",
    kinds=("dataset-info",),
    symptoms=(
        r"KeyError: 'file_name'", r"Dataset converter .* not found", r"Allowed file types: ",
        r"The dataset is not applicable", r"KeyError: None",
    ),
)  # fmt: skip


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """Each entry of the table."""
    release = load("llamafactory").at(project.versions(document, "llamafactory").number)
    for objection in objections(document, project, release):
        yield objection.finding(RULE, document)
