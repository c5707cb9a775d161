"""Conflict markers of an unfinished merge in a script or a file of variables.

## What it flags

The lines `<<<<<<< `, `=======` and `>>>>>>> ` that git leaves where both sides changed the same
lines, in scripts, batch scripts, Makefiles, justfiles, env files and `.deepspeed_env`. Nothing else
is said of such a file: which side is meant is not known. YAML and JSON with markers do not parse
(SYN002, SYN003).

## Why it fails

    run.sh: line 3: syntax error near unexpected token `<<<'
    Makefile:2: *** missing separator.  Stop.

A script has run what stands above the marker by then; a batch job has waited in the queue for it.

## Example

    #!/bin/bash
    <<<<<<< HEAD
    torchrun --standalone --nproc_per_node=8 train.py
    =======
    torchrun --standalone --nproc_per_node=4 train.py
    >>>>>>> main

Repair: finish the merge.

    #!/bin/bash
    torchrun --standalone --nproc_per_node=8 train.py

## References

- git-merge(1), "How conflicts are presented".
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="SYN011",
    name="merge-conflict",
    severity=ERROR,
    summary="conflict markers of an unfinished merge in a script",
    kinds=("script", "slurm", "makefile", "justfile", "dotenv", "deepspeed-env"),
    symptoms=(r"syntax error near unexpected token `<<<'", r"missing separator\.  Stop"),
    cause="What reads the file stops here: the marker is no command and no variable.",
    help="Finish the merge: keep one side and remove the markers.",
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The first marker."""
    for problem in document.problems:
        if problem.code == RULE.code:
            yield RULE.at(problem, problem.message, document=document)
