"""A blank cuts a variable's value off in a shell text.

## What it flags

Variables that jobs are started with (`CUDA_VISIBLE_DEVICES`, `NCCL_...`, `MASTER_...`, `NNODES` and
their like) where a blank stands in the assignment: `NAME=0, 1`, `NAME = 1`, `export NAME= eth0`,
`mpirun -x NAME= eth0`.
`NAME= command` is left alone: it empties the variable for one command. `NAME= 10.0.0.1` is told: an
address, a number or an interface is no command.

## Why it fails

A shell ends the value at the blank, and takes a sign with blanks around it for a word:

    bash: export: `1,': not a valid identifier
    bash: export: `=': not a valid identifier
    bash: 1,: command not found

Unless the script has `set -e`, it goes on: with one GPU, without the interface.

## Example

    export CUDA_VISIBLE_DEVICES=0, 1
    torchrun --standalone --nproc_per_node=2 train.py

Repair: no blanks.

    export CUDA_VISIBLE_DEVICES=0,1
    torchrun --standalone --nproc_per_node=2 train.py

## References

- Bash manual, "Shell Parameters": a value ends at an unquoted blank.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule, repair

RULE = Rule(
    code="SYN009",
    name="shell-assignment-cut",
    severity=ERROR,
    summary="a blank cuts a variable's value off",
    fix="safe",
    symptoms=(
        r"export: `(?P<value>[^']*)': not a valid identifier",
        r"line \d+: (?P<value>\d+,?): command not found",
    ),
    help="Write NAME=value without blanks, or the value in quotes.",
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """Each place that the reader found."""
    for problem in document.problems:
        if problem.code == "SYN009":
            text = problem.detail["text"]
            yield RULE.at(
                problem,
                problem.message,
                document=document,
                cause=problem.detail["cause"],
                fix=repair(f"write {text}", problem.detail["edit"], safe=True),
            )
