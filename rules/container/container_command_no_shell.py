"""A container's command that only a shell could carry out.

## What it flags

In the command of a container (a list in Compose or Kubernetes, the exec form of a Dockerfile, the
words behind the image of `docker run` or the service of `docker compose run` and `exec`) that no
shell reads:

- assignments in front of a launcher: `NCCL_DEBUG=INFO torchrun ...`;
- a command of the shell's own in the program's place: `cd`, `export`, `source`, `ulimit`, `set`;
- `&&` or `||` as an item of a list.

A command that hands its text to `bash -c`, and assignments behind `env`, are left alone. Strings of
Compose are judged by `compose-command-no-shell` where they hold an operator.

## Why it fails

The first word is the name of a program, which the image does not have:

    exec: "NCCL_DEBUG=INFO": executable file not found in $PATH: unknown
    exec: "cd": executable file not found in $PATH: unknown

An `&&` in a list is an argument like any other, as is all that follows it:

    ERROR: Invalid requirement: '&&'

In `docker run IMAGE cd /app && torchrun ...` the outer shell reads the `&&`: torchrun would start on
the host.

## Example

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        command: ["NCCL_DEBUG=INFO", "torchrun", "--standalone", "--nproc_per_node=8", "train.py"]

Repair: `env` is a program that sets variables.

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        command: ["env", "NCCL_DEBUG=INFO", "torchrun", "--standalone", "--nproc_per_node=8", "train.py"]

## When to ignore it

When the image's entrypoint hands its arguments to a shell as one text.

## References

- Dockerfile reference, shell and exec form; Compose specification, `command`; Docker: docker run.
"""

from collections.abc import Iterator

from cfglint.compose.entrypoints import may_have_entrypoint
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule, repair

RULE = Rule(
    code="BOX013",
    name="container-command-no-shell",
    severity=ERROR,
    summary="a container's command that only a shell could carry out",
    fix="safe",
    unsafe_too=True,
    symptoms=(
        r'exec: \\?"(?P<value>[A-Z_][A-Z0-9_]*=[^"]*)\\?": executable file not found in \$PATH',
        r'exec: \\?"(?:cd|export|source|ulimit|set|\.)\\?": executable file not found in \$PATH',
        r"Invalid requirement: '&&'",
    ),
    cause="No shell reads the command: its first word is taken for a program's name.",
    help='Set variables for the container, or hand the text to a shell: bash -c "...".',
)
_MESSAGES = {
    "assignment": "{} is taken for the name of a program",
    "builtin": "{} is a shell's own command, and no shell reads it here",
    "operator": "no shell reads this {}: it is an argument, as is all behind it",
}
_TITLES = {
    "assignment": "let env set it",
    "builtin": "let docker change the folder",
    "operator": "hand it to bash",
}


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    for found in document.unshelled.values():
        if found.program:
            continue
        if found.service and may_have_entrypoint(project, document, found.service):
            continue  # it may hand them to a shell
        cause = "The program in front gets it." if found.what == "operator" else None
        yield RULE.finding(
            document,
            found.span,
            _MESSAGES[found.what].format(found.text),
            cause=cause,
            fix=repair(_TITLES[found.what], found.edits, safe=found.what == "assignment"),
            no_fix="" if found.edits else "what belongs to the shell's text is not known",
        )
