"""A rule of cfglint itself failed on a file.

## What it means

This is a fault of cfglint, not of the file. The other rules have still reported, but what this rule
would have said is not known, so the exit code is 2. The same is said where the reader of a file
failed (its launches are not known then), and, at the first file, of a rule whose module cannot be
imported.

## What to do

Report it, with the file if you can share it. Until it is mended, `ignore` the rule that the message
names.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="META000",
    name="rule-crashed",
    severity=ERROR,
    summary="a rule of cfglint failed on this file",
    help="Please report this; it is a fault of cfglint. `ignore` the named rule meanwhile.",
    unreadable=True,
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """A reader that failed on a file; rules that fail are reported by the engine."""
    for problem in document.problems:
        if problem.code == RULE.code:
            yield RULE.at(problem, problem.message, document=document)
