"""A variable in a Compose command that is empty there, because only the container has it.

## What it flags

`$NAME` or `${NAME}` in `command` or `entrypoint`, where NAME is set under `environment` (or in an
`env_file`, or in the image) and nowhere that Compose looks. Variables with a default, and those
that the project's `.env` sets, are left alone.

## Why it fails

Compose fills in `$NAME` itself, from the shell that runs it and from `.env`, before the container
is made. The service's own environment does not count:

    WARN[0000] The "MASTER_PORT" variable is not set. Defaulting to a blank string.
    torchrun: error: argument --master-port/--master_port: invalid int value: ''

## Example

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        environment: {GPUS: "8"}
        command: bash -c "torchrun --standalone --nproc_per_node=$GPUS train.py"

Repair: `$$` leaves it to the shell in the container.

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        environment: {GPUS: "8"}
        command: bash -c "torchrun --standalone --nproc_per_node=$$GPUS train.py"

## When to ignore it

When whoever starts the project exports the variable as well.

## References

- Compose specification: interpolation.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Related, Rule, repair

RULE = Rule(
    code="ENV010",
    name="compose-variable-empty",
    severity=ERROR,
    summary="a variable in a Compose command that only the container has",
    fix="safe",
    kinds=("compose",),
    symptoms=(r'The \\?"?(?P<key>\w+)\\?"? variable is not set\. Defaulting to a blank string',),
    cause='Compose says "variable is not set. Defaulting to a blank string" and puts in nothing.',
    help="Write $$NAME in a command that a shell reads, or set it in .env.",
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    if not document.launches:
        return
    for found in document.unfilled:
        setting = found.setting
        yield RULE.finding(
            document,
            found.span,
            f"Compose puts in the host's {found.name}, not the container's {setting.text!r}",
            fix=repair("leave it to the shell", found.edit, safe=True),
            no_fix="" if found.edit else "no shell reads this command, which could fill it in",
            related=[Related(setting.document, setting.span, "set for the container only")],
        )
