r"""A Compose command in string form that only a shell could read.

## What it flags

In a service's `command` or `entrypoint` that is one string:

- an operator outside of quotes (`&&`, `;`, `|`, `>`): an error where the job starts behind it, else
  a warning;
- a backslash at the end of a line, unless it stands in single quotes or behind an operator;
- a parenthesis outside of quotes;
- several words behind an `entrypoint` that ends in `bash -c`, of which each becomes an argument.

Lists, and strings that hand the text to a shell in quotes (`bash -c "..."`), are left alone.

## Why it fails

No shell reads the string: Compose splits it into words and starts the first one. It drops an
operator and all that follows without a word, so the container installs its packages and is done. A
backslash keeps the line break as a character of its own, which the launcher takes for its program:

    can't open file '/workspace/\n': [Errno 2] No such file or directory
    bash: line 2: --nproc_per_node=8: command not found

A parenthesis is refused: `invalid command line string`. `bash -c` takes the first word for its
script and the rest for its arguments.

## Example

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        command: pip install -r extra.txt && torchrun --standalone --nproc_per_node=8 train.py

Repair: hand it to a shell.

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        command: [bash, -c, "pip install -r extra.txt && torchrun --standalone --nproc_per_node=8 train.py"]

A list's lines need no backslash, and neither do a string's:

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        command: |
          torchrun --standalone \
            --nproc_per_node=8 train.py

Repair: a line break is a blank.

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        command: |
          torchrun --standalone
            --nproc_per_node=8 train.py

## When to ignore it

When something else than Compose reads the file and runs the string in a shell.

## References

- compose-go, types/command.go; go-shellwords; docker/compose#8512, docker/docs#13265.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, WARNING, Document, Finding, Rule, repair

RULE = Rule(
    code="BOX009",
    name="compose-command-no-shell",
    severity=ERROR,
    summary="a Compose command in string form that only a shell could read",
    fix="safe",
    unsafe_too=True,
    kinds=("compose",),
    symptoms=(
        r"error decoding '(?:Command|Entrypoint)': invalid command line string",
        r"can't open file '[^']*\\n'",
    ),
    cause="Compose splits the string into words by itself; no shell reads it.",
    help='Hand the text to a shell in a list: [bash, -c, "..."].',
)
_MESSAGES = {
    "operator": "no shell reads this {}: Compose drops it and all that follows",
    "continuation": "no shell reads this {}: the line break behind it becomes part of a word",
    "refused": "Compose refuses a {} outside of quotes: invalid command line string",
    "script": "the entrypoint's shell gets {} alone for its script, the rest as arguments",
}
_TITLES = {"continuation": "take the backslashes out", "script": "make it one argument"}


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    for found in document.misread:
        yield RULE.finding(
            document,
            found.span,
            _MESSAGES[found.what].format(found.text),
            severity=ERROR if found.hides else WARNING,
            fix=repair(
                _TITLES.get(found.what, "hand it to bash"),
                *found.edits,
                safe=found.what == "continuation",
            ),
            no_fix=""
            if found.edits or found.what == "refused"
            else "what shell is meant to read it is not known",
        )
