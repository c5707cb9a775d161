"""Quotes in a file that `docker run --env-file` reads.

## What it flags

A value in quotes in an env file that a `docker run` (or podman) command of the project reads, or a
Compose service with `format: raw` in its `env_file`. Compose's other `env_file` and `.env`, which take
quotes off, are left alone.

## Why it fails

Docker passes on everything behind the `=`, quotes included. The address is then `"10.0.0.4"` with
quotes, the port is no number, and no interface is called `"eno1"`:

    socket.gaierror: [Errno -2] Name or service not known
    ValueError: invalid literal for int() with base 10: '"29500"'

## Example

    === train.env
    MASTER_ADDR="10.0.0.4"
    === up.sh
    docker run --rm --gpus all --ipc host --env-file train.env train:1.4 torchrun train.py

Repair: no quotes.

    === train.env
    MASTER_ADDR=10.0.0.4

## When to ignore it

When another tool fills in the file first.

## References

- Docker: `docker run --env-file`; docker/cli `opts/file.go`. Compose: `env_file`, `format`.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Edit, Finding, Launch, Rule, Span, repair

RULE = Rule(
    code="ENV007",
    name="env-file-quotes",
    severity=ERROR,
    summary="quotes in a file for docker run --env-file, which keeps them",
    fix="safe",
    kinds=("dotenv",),
    symptoms=(r"invalid literal for int\(\) with base 10: '\"",),
    cause="Docker passes on everything behind the =, quotes included.",
    help="Take the quotes off.",
)


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    users = project.users(document)
    docker = bool(users) and all(_is(user, "docker") for user in users)
    services = [x for x in project.launches if any(part is document for part in x.parts)]
    for launch in document.launches:
        for name, setting in launch.env.items():
            span = setting.span
            raw = document.source.slice(span)
            if len(raw) < 2 or raw[0] not in "'\"" or raw[-1] != raw[0]:
                continue
            if not docker and not any(_keeps(service, name, document) for service in services):
                continue
            edits = [
                Edit(document.path, Span(span.start, span.start + 1), ""),
                Edit(document.path, Span(span.end - 1, span.end), ""),
            ]
            yield RULE.at(
                setting,
                f"the container gets {name} with the quotes: {raw}",
                fix=repair("take the quotes off", edits, safe=True),
            )


def _is(launch: Launch, kind: str) -> bool:
    return launch.container is not None and launch.container.kind == kind


def _keeps(service: Launch, name: str, document: Document) -> bool:
    """Whether a service gets a variable of the file with its quotes: `format: raw`."""
    got = service.env.get(name) if _is(service, "compose") else None
    return got is not None and got.document is document and (got.text or "")[:1] in ("'", '"')
