"""An entry of dataset_info.json that LLaMA-Factory cannot use, or reads only in part.

## What it flags

- an entry without a source (`file_name`, `hf_hub_url`, `ms_hub_url`, ...), with a `formatting` that
  has no converter, or with a `file_name` whose ending is none that it loads;
- as warnings, keys that nothing reads: in the entry, in its `columns` and in its `tags`. Under
  `columns` the names are LLaMA-Factory's (`prompt`, `query`, `response`), the values yours.

## Why it fails

    KeyError: 'file_name'
    ValueError: Dataset converter chatml not found.
    ValueError: Allowed file types: arrow,csv,json,jsonl,parquet,txt.

Unknown keys pass in silence, and giving `columns` at all resets every column that it does not
list: `"instruction": "question"` leaves the dataset without a prompt.

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

from cfglint.datasets import SOURCES
from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    WARNING,
    Document,
    Entry,
    Finding,
    Mapping,
    Rule,
    Scalar,
    edit,
    near,
    repair,
    resolve_alias,
)  # fmt: skip
from cfglint.schemadata import Release, load

RULE = Rule(
    code="LF008",
    name="lf-dataset-entry",
    severity=ERROR,
    summary="an entry of dataset_info.json that cannot be used, or is read only in part",
    fix="safe",
    kinds=("dataset-info",),
    symptoms=(
        r"KeyError: 'file_name'", r"Dataset converter .* not found", r"Allowed file types: ",
        r"The dataset is not applicable",
    ),
)  # fmt: skip
ENDINGS = ("arrow", "csv", "json", "jsonl", "parquet", "txt")
# What people call the columns, after the keys of their own data.
COLUMNS = {"instruction": "prompt", "input": "query", "output": "response",
           "conversations": "messages", "conversation": "messages", "label": "kto_tag"}  # fmt: skip
NOTES = ("comment", "description", "note", "license", "source", "help", "tags_", "url", "size")


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """Each entry of the table."""
    root = resolve_alias(document.root) if document.root is not None else None
    version = project.versions(document, "llamafactory")
    release = load("llamafactory").at(version.number)
    for entry in root.index.values() if isinstance(root, Mapping) else ():
        described = resolve_alias(entry.value)
        if isinstance(described, Mapping):
            yield from _fatal(document, entry, described, release)
            for part in ("", "columns", "tags"):
                mapping = described.get(part) if part else described
                if isinstance(mapping, Mapping):
                    yield from _unread(document, mapping, part, release)


def _fatal(
    document: Document, entry: Entry, described: Mapping, release: Release
) -> Iterator[Finding]:
    section = release.section("@dataset_info")
    formatting, file_name = described.get("formatting"), described.get("file_name")
    known = section.keys["formatting"].choices if section else ()
    if not any(source in described for source in SOURCES):
        yield RULE.finding(
            document, entry.key.span, f"{entry.name} has no source of its data",
            cause="\"KeyError: 'file_name'\" when a config names this dataset.",
            help=f"Give it one of {', '.join(SOURCES)}.",
        )  # fmt: skip
    if isinstance(formatting, Scalar) and formatting.value not in known:
        yield RULE.finding(
            document, formatting.span, f"formatting {formatting.text} has no converter",
            cause=f'"ValueError: Dataset converter {formatting.text} not found."',
            help=f"It takes {', '.join(known)}.",
        )  # fmt: skip
    hub = any(s in described for s in SOURCES if s != "file_name")
    if isinstance(file_name, Scalar) and not hub:
        _, dot, ending = file_name.text.rpartition(".")
        if dot and "/" not in ending and ending not in ENDINGS:
            yield RULE.finding(
                document, file_name.span, f"{file_name.text} is of a type that is not loaded",
                severity=WARNING,  # it may be a folder
                cause=f'"ValueError: Allowed file types: {",".join(ENDINGS)}."',
                help="Convert it, or name the folder that holds the files.",
            )  # fmt: skip


def _unread(document: Document, mapping: Mapping, part: str, release: Release) -> Iterator[Finding]:
    section = release.section(f"@dataset_info.{part}" if part else "@dataset_info")
    known = set(section.keys) if section else set()
    free = known - set(mapping.names())
    for name, entry in mapping.index.items():
        if name in known or name.startswith(("_", "//")) or (not part and name in NOTES):
            continue
        meant = COLUMNS.get(name) if part == "columns" else None
        meant = meant if meant in free else near(name, free)
        if not part and meant is None:
            continue  # a note of someone's own does no harm
        where = f"{part}.{name}" if part else name
        renamed = edit.rename_key(document, entry, meant) if meant else None
        yield RULE.finding(
            document, entry.key.span, f"nothing reads {where}", severity=WARNING,
            cause="No message: the column keeps its default, or is lost.",
            help=f"Call it {meant}." if meant else f"It takes {', '.join(sorted(known))}.",
            fix=repair(f"call it {meant}", renamed, safe=True) if meant else None,
        )  # fmt: skip
