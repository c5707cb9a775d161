"""A config that is not text: no program will read it.

## What it flags

A file whose name or content says that it starts a job, and whose bytes are not UTF-8 (nor UTF-16 with
a byte order mark), hold a NUL character, or are more than `max-file-size` (10 MB unless set), or which
cfglint may not open.

## Why it fails

    UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte

accelerate, LLaMA-Factory, DeepSpeed and compose all read UTF-8.

## Repair

Save the file as UTF-8: `iconv -f LATIN1 -t UTF-8 old.yaml > new.yaml`. A large file that is right can
be admitted with `max-file-size`, or left out with `exclude`.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule

RULE = Rule(
    code="SYN001",
    name="unreadable-file",
    severity=ERROR,
    summary="a config that is not text, or over the size limit",
    symptoms=(
        r"UnicodeDecodeError: 'utf-8' codec can't decode",
        r"special characters are not allowed",
    ),
    cause="The program that reads this file stops with a UnicodeDecodeError.",
    help="Save it as UTF-8 text.",
    unreadable=True,
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The problem that kept the file's bytes from being text."""
    for problem in document.problems:
        if problem.code == RULE.code:
            if "max-file-size" in problem.message:
                help_text = "Raise max-file-size or exclude the file."
            elif not problem.detail.get("data"):
                help_text = "Let cfglint read it, or exclude the file."
            else:
                yield RULE.at(problem, f"not readable: {problem.message}", document=document)
                continue
            yield RULE.at(
                problem,
                f"not readable: {problem.message.removeprefix('cannot be read: ')}",
                document=document,
                cause="It was not looked at.",
                help=help_text,
            )
