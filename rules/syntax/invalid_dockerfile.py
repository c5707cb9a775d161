"""A Dockerfile that the builder does not read.

## What it flags

The first line that is no instruction, a heredoc without its end, and a FROM without an image; and a
list in CMD, ENTRYPOINT or RUN that is no JSON (single quotes, a comma too many or too few). Files
with a `# syntax=` directive of another frontend than Docker's, which may know more instructions, are
left alone.

## Why it fails

    ERROR: failed to solve: dockerfile parse error on line 3: unknown instruction: INSTALL
    dockerfile parse error on line 5: unterminated heredoc

A list that is no JSON is built without a word, as a command for /bin/sh:

    /bin/sh: 1: [torchrun,: not found

## Example

    FROM nvcr.io/nvidia/pytorch:24.10-py3
    INSTALL torch
    CMD ["torchrun", "--standalone", "--nproc_per_node=8", "train.py"]

Repair: an instruction that there is.

    FROM nvcr.io/nvidia/pytorch:24.10-py3
    RUN pip install torch
    CMD ["torchrun", "--standalone", "--nproc_per_node=8", "train.py"]

A list:

    FROM nvcr.io/nvidia/pytorch:24.10-py3
    CMD ['torchrun', '--standalone', '--nproc_per_node=8', 'train.py']

Repair: strings in double quotes.

    FROM nvcr.io/nvidia/pytorch:24.10-py3
    CMD ["torchrun", "--standalone", "--nproc_per_node=8", "train.py"]

## When to ignore it

When a tool fills in the file before it is built.

## References

- Dockerfile reference; BuildKit, `frontend/dockerfile/parser`.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule, repair

RULE = Rule(
    code="SYN008",
    name="invalid-dockerfile",
    severity=ERROR,
    summary="a Dockerfile that the builder does not read",
    fix="safe",
    kinds=("dockerfile",),
    symptoms=(
        r"dockerfile parse error",
        r"unknown instruction: (?P<value>\S+)",
        r"sh: (?:\d+: )?\[(?P<value>\S+),?: not found",
    ),
    cause='The build stops: "dockerfile parse error".',
    help="Mend the line; a continued line needs its backslash at the very end.",
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    syntax = getattr(document.tree, "directives", {}).get("syntax", "docker/dockerfile")
    if not syntax.startswith("docker/dockerfile"):
        return
    for problem in document.problems:
        if problem.code != RULE.code:
            continue
        if "program" not in problem.detail:
            yield RULE.at(problem, problem.message, document=document)
            return  # the lines behind it are read in another way than they are meant
        yield RULE.finding(
            document,
            problem.span,
            problem.message,
            cause=f"The shell looks for a program called {problem.detail['program']}",
            help="Strings in double quotes, a comma between each two, none at the end.",
            fix=repair("write it as JSON", problem.detail["edits"], safe=True),
        )
