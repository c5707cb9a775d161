"""A JSON config that is not strict JSON, read by a program that takes nothing else.

## What it flags

Comments, trailing commas, single quotes, keys without quotes, missing commas or a byte order mark
in a DeepSpeed config that accelerate or the Hugging Face trainer reads: one named by an accelerate
config, by a LLaMA-Factory file, or by `--deepspeed FILE` on a command line. Where no reader is
known but "auto" values say that it is one of these, it is a warning. The same in an accelerate
config whose name ends in `.json`: accelerate reads it with json.load.

DeepSpeed's own reader is hjson and takes all of this; a file that only DeepSpeed reads is fine.

## Why it fails

    json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 3 column 3
    json.decoder.JSONDecodeError: Unexpected UTF-8 BOM (decode using utf-8-sig)

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
from typing import Any

from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Related, Rule, edit, repair

RULE = Rule(
    code="SYN004",
    name="json-comments",
    severity=ERROR,
    summary="a JSON config that is not strict JSON, read by accelerate or the trainer",
    fix="safe",
    unsafe_too=True,
    kinds=("deepspeed", "accelerate"),
    symptoms=(
        r"JSONDecodeError: Expecting (property name|value|',' delimiter)",
        r"JSONDecodeError: Illegal trailing comma",
        r"JSONDecodeError: Unexpected UTF-8 BOM",
    ),
)
WORDS = {
    "comment": "a comment",
    "trailing-comma": "a trailing comma",
    "missing-comma": "a missing comma",
    "single-quotes": "single quotes",
    "unquoted-key": "a key without quotes",
    "quoteless-string": "a string without quotes",
    "no-braces": "no braces around the whole",
    "bom": "a byte order mark",
    "control-character": "a control character in a string",
}


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The first departure from strict JSON, for all of them."""
    found = [d for d in getattr(document.tree, "deviations", ()) if d.kind in WORDS]
    if document.kind == "accelerate":
        if found and document.path.endswith(".json"):
            edits = edit.make_strict(document)
            yield RULE.finding(
                document,
                found[0].span,
                f"{_named(found)}: accelerate reads a .json file as strict JSON only",
                cause="accelerate launch ends with a JSONDecodeError.",
                help="Write strict JSON, or call the file .yaml.",
                fix=repair(_title(found), edits, safe=True) if edits else None,
            )
        return
    if not found:
        return
    from cfglint.deepspeed.config import configs_in  # here: most files have nothing to say of

    for config in configs_in(document, project):
        use = config.hf_use
        if use is None and (config.uses or not config.is_hf_style):
            continue
        more = f" ({len(found)} such places in this file)" if len(found) > 1 else ""
        edits = edit.make_strict(document)
        reader = use.reader if use else 'what fills its "auto" values'
        yield RULE.finding(
            document,
            found[0].span,
            f"{_named(found)}: {reader} takes strict JSON only{more}",
            severity=ERROR if use else WARNING,
            cause="It stops with a JSONDecodeError before anything is trained.",
            help="Write strict JSON; DeepSpeed itself reads that too.",
            fix=repair(_title(found), edits, safe=True) if edits else None,
            no_fix=""
            if edits
            else "what it means is not certain, or a mark stands before the text",
            related=[Related(use.document, use.span, "read here")] if use else [],
        )


def _title(found: list[Any]) -> str:
    """What the repair does: strict JSON has no comments, so they go."""
    commented = any(d.kind == "comment" for d in found)
    return f"write strict JSON{', without the comments' if commented else ''}"


def _named(found: list[Any]) -> str:
    """The departures from strict JSON in words."""
    return ", ".join(dict.fromkeys(WORDS[d.kind] for d in found))
