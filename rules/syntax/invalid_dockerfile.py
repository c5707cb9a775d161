"""A Dockerfile that the builder does not read.

## What it flags

The first line that is no instruction, a heredoc without its end, and a FROM without an image. Files
with a `# syntax=` directive of another frontend than Docker's, which may know more instructions, are
left alone.

## Why it fails

    ERROR: failed to solve: dockerfile parse error on line 3: unknown instruction: INSTALL
    dockerfile parse error on line 5: unterminated heredoc

## Example

    FROM nvcr.io/nvidia/pytorch:24.10-py3
    INSTALL torch
    CMD ["torchrun", "--standalone", "--nproc_per_node=8", "train.py"]

Repair: an instruction that there is.

    FROM nvcr.io/nvidia/pytorch:24.10-py3
    RUN pip install torch
    CMD ["torchrun", "--standalone", "--nproc_per_node=8", "train.py"]

## When to ignore it

When a tool fills in the file before it is built.

## References

- Dockerfile reference; BuildKit, `frontend/dockerfile/parser`.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="SYN008",
    name="invalid-dockerfile",
    severity=ERROR,
    summary="a Dockerfile that the builder does not read",
    kinds=("dockerfile",),
    symptoms=(r"dockerfile parse error", r"unknown instruction: (?P<value>\S+)"),
    cause='The build stops: "dockerfile parse error".',
    help="Mend the line; a continued line needs its backslash at the very end.",
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    syntax = getattr(document.tree, "directives", {}).get("syntax", "docker/dockerfile")
    if not syntax.startswith("docker/dockerfile"):
        return
    for problem in document.problems:
        if problem.code == RULE.code:
            yield RULE.at(problem, problem.message, document=document)
            return  # the lines behind it are read in another way than they are meant
