"""A line of an env file that docker refuses.

## What it flags

`export NAME=value`, a blank in front of the `=`, or a line without a name, in a file that a
`docker run --env-file` of the project reads. Compose's `env_file` and `.env`, and a shell's
`source`, take the first of these.

## Why it fails

docker stops before it makes the container:

    docker: invalid env file (train.env): variable 'export MASTER_PORT' contains whitespaces

## Example

    === train.env
    export NCCL_SOCKET_IFNAME=eth0
    === up.sh
    docker run --rm --gpus all --ipc host --env-file train.env train:1.4 torchrun --standalone train.py

Repair: the name alone.

    === train.env
    NCCL_SOCKET_IFNAME=eth0

## When to ignore it

When another tool fills in the file first.

## References

- docker/cli `opts/file.go`; run with the docker command line 27.
"""

from collections.abc import Iterator

from cfglint.environment.docker_lines import refused_lines
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Rule, repair

RULE = Rule(
    code="ENV011",
    name="env-file-syntax",
    severity=ERROR,
    summary="a line of a file for docker run --env-file that docker refuses",
    fix="safe",
    kinds=("dotenv",),
    symptoms=(r"invalid env file .*: variable '.*' contains whitespaces",
              r"invalid env file .*: no variable name on line"),
    cause="docker stops: invalid env file.",
    help="Only NAME=value: no export, no blank in front of the =.",
)  # fmt: skip


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The lines that docker refuses, where only docker reads the file."""
    for line in refused_lines(document, project):
        if not line.name:
            yield RULE.finding(document, line.span, "a line without the name of a variable")
            continue
        yield RULE.finding(
            document,
            line.span,
            f"docker takes {line.name!r} for a name, and refuses the blank in it",
            fix=repair(
                f"take {'export' if line.has_export else 'the blanks'} away", line.edit, safe=True
            ),
            no_fix="a script sources it, and needs the export" if line.is_sourced else "",
        )
