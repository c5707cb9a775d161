"""A quote of a shell script that is never closed.

## What it flags

A single or double quote, or the braces of a variable (`"${NAME:-"a b}"`), that is open at the end of
a script or batch script, of a recipe's line, of a workflow's step or of a notebook's command or
`%%bash` cell that starts a job. A quote further up that spans lines and ends on the line of the
reported one is named beside it: often that one is the fault, since each quote behind it opens where
it should close.

Quotes count for bash in the braces of a variable, also within quotes: `"${NOTE:-it's}"` is open.
Recipes are left alone that make's functions or another shell may change the quotes of.

## Why it fails

The shell reads to the end of the file. It has run what stands above the command with the quote, and
runs nothing from there on:

    run.sh: line 3: unexpected EOF while looking for matching `"'
    /bin/sh: 1: Syntax error: Unterminated quoted string

## Example

    #!/bin/bash
    export NCCL_DEBUG=WARN
    torchrun --standalone --nproc_per_node=2 train.py --run_name "first try

Repair: close it.

    #!/bin/bash
    export NCCL_DEBUG=WARN
    torchrun --standalone --nproc_per_node=2 train.py --run_name "first try"

## References

- Bash manual, "Quoting".
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Related, Rule

RULE = Rule(
    code="SYN010",
    name="shell-unclosed-quote",
    severity=ERROR,
    summary="a quote of a shell script is never closed",
    kinds=("script", "slurm", "makefile", "justfile", "workflow", "notebook"),
    symptoms=(
        r"unexpected EOF while looking for matching `(?P<value>[\"'}])'",
        r"Syntax error: Unterminated quoted string",
    ),
    help="Close it.",
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The place that the reader found."""
    for problem in document.problems:
        if problem.code == "SYN010":
            before, closer = problem.detail["before"], problem.detail["closer"]
            related = [Related(document, before, "or this one, which ends there")] if before else []
            yield RULE.at(
                problem,
                problem.message,
                document=document,
                cause=f"The shell stops here: unexpected EOF while looking for matching `{closer}'.",
                related=related,
            )
