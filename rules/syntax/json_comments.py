"""A JSON config that is not strict JSON, read by a program that takes nothing else.

## What it flags

Comments, trailing commas, single quotes, keys without quotes, missing commas, Python's True, False
and None, or a byte order mark in a DeepSpeed config that accelerate or the Hugging Face trainer
reads: one named by an accelerate config, by a LLaMA-Factory file, or by `--deepspeed FILE` on a
command line. Where no reader is known but "auto" values say that it is one of these, it is a
warning. The same in an accelerate config whose name ends in `.json`, which accelerate reads with
json.load, and in LLaMA-Factory's `dataset_info.json`.

DeepSpeed's own reader is hjson and takes all of this; a file that only DeepSpeed reads is fine.

## Why it fails

    json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 3 column 3
    json.decoder.JSONDecodeError: Unexpected UTF-8 BOM (decode using utf-8-sig)
    ValueError: Cannot open data/dataset_info.json due to Expecting property name enclosed in ...

## Example

    === acc.yaml
    distributed_type: DEEPSPEED
    num_processes: 8
    deepspeed_config:
      deepspeed_config_file: ds.json
    === ds.json
    {
      "train_micro_batch_size_per_gpu": 4,   // per GPU
      "zero_optimization": { "stage": 2, },
    }

Repair: strict JSON. Comments have no place in it and go: that repair is unsafe, one that leaves
no comment out is safe.

    === ds.json
    {
      "train_micro_batch_size_per_gpu": 4,
      "zero_optimization": { "stage": 2 }
    }

## When to ignore it

When a program of your own loads the file with hjson or json5 and passes it on as a dict.

## References

accelerate, utils/deepspeed.py: `HfDeepSpeedConfig.__init__` (json.load).
"""

from collections.abc import Iterator

from cfglint.deepspeed.strict_json import departures, strict_readers
from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Related, Rule, edit, repair

RULE = Rule(
    code="SYN004",
    name="json-comments",
    severity=ERROR,
    summary="a JSON config that is not strict JSON, read by accelerate or the trainer",
    fix="safe",
    unsafe_too=True,
    kinds=("deepspeed", "accelerate", "dataset-info"),
    symptoms=(
        r"JSONDecodeError: Expecting (property name|value|',' delimiter)",
        r"JSONDecodeError: Illegal trailing comma",
        r"JSONDecodeError: Unexpected UTF-8 BOM",
        r"Cannot open .*dataset_info\.json due to (Expecting|Illegal|Unexpected)",
    ),
)
# Who reads what, how it ends, and what helps.
_WHOLE = {
    "accelerate": (
        "accelerate reads a .json file as strict JSON only",
        "accelerate launch ends with a JSONDecodeError.",
        "Write strict JSON, or call the file .yaml.",
    ),
    "dataset-info": (
        "LLaMA-Factory reads it as strict JSON only",
        'The run ends with "Cannot open ... due to", and what the JSON reader says.',
        "Write strict JSON.",
    ),
}


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The first departure from strict JSON, for all of them."""
    found = departures(document)
    if found is None:
        return
    for reader in strict_readers(document, project):
        edits = edit.make_strict(document)
        # Strict JSON has no comments, so they go.
        title = f"write strict JSON{', without the comments' if found.commented else ''}"
        fix = repair(title, edits, safe=not found.other) if edits else None
        if document.kind in _WHOLE:
            says, cause, advice = _WHOLE[document.kind]
            said = f"{found.named}: {says}"
            yield RULE.finding(document, found.span, said, cause=cause, help=advice, fix=fix)
            continue
        use, more = reader.use, f" ({found.count} such places in this file)"
        yield RULE.finding(
            document,
            found.span,
            f"{found.named}: {reader.name} takes strict JSON only{more if found.count > 1 else ''}",
            severity=ERROR if use else WARNING,
            cause="It stops with a JSONDecodeError before anything is trained.",
            help="Write strict JSON; DeepSpeed itself reads that too.",
            fix=fix,
            no_fix=""
            if edits
            else "what it means is not certain, or a mark stands before the text",
            related=[Related(use.document, use.span, "read here")] if use else [],
        )
