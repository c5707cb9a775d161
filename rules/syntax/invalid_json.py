"""JSON that no reader will read.

## What it flags

A JSON file of a known kind that even the most lenient of its readers refuses. DeepSpeed reads its own
files with hjson, which takes comments, trailing commas and missing quotes; whether those are a fault
depends on who reads the file, and `json-comments` (SYN004) says so.

## Why it fails

    json.decoder.JSONDecodeError: Expecting ',' delimiter: line 4 column 3 (char 61)
    hjson.scanner.HjsonDecodeError: Found a punctuator character ...

## Example

    {"train_batch_size": 16 "zero_optimization": {"stage": 2}}

Repair: the comma between two members.

    {"train_batch_size": 16, "zero_optimization": {"stage": 2}}
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="SYN003",
    name="invalid-json",
    severity=ERROR,
    summary="JSON that does not parse under any reader",
    symptoms=(
        r"JSONDecodeError",
        r"HjsonDecodeError",
        r"Expecting (',' delimiter|property name|value)",
    ),
    cause="Whatever reads this file stops here with a JSONDecodeError (DeepSpeed: HjsonDecodeError).",
    help="Mend the JSON at this place; what follows it has not been checked.",
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The place where the scanner stopped."""
    for problem in document.problems:
        if problem.code == RULE.code:
            unmerged = problem.detail.get("unmerged")
            message = problem.message if unmerged else f"not valid JSON: {problem.message}"
            yield RULE.at(problem, message, document=document, help=unmerged)
