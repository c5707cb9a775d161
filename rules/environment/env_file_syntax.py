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

from cfglint.project import Project
from cfglint.rule import ERROR, Document, Edit, Finding, Launch, Rule, Span, repair

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
    """The lines, where only docker reads the file: a shell that sources it needs the export."""
    users = project.users(document)
    if not users or not all(_is_docker(user) for user in users):
        return
    source, sourced = document.source, _is_sourced(document, project)
    for number in range(1, len(source.line_starts) + 1):
        line = source.line_span(number)
        text = source.slice(line)
        name, sign, value = text.lstrip().partition("=")
        if not text.strip() or text.lstrip().startswith("#") or not name.split():
            if sign and not name.strip():
                yield RULE.finding(document, line, "a line without the name of a variable")
            continue
        if len(name.split()) == 1 and name == name.rstrip():
            continue
        at = line.start + len(text) - len(text.lstrip())
        right = name.split()[-1]
        plain = name.split() in ([right], ["export", right]) and not sourced
        behind = len(sign + value) - len(value.lstrip()) if name.endswith((" ", "\t")) else 0
        edit = Edit(document.path, Span(at, at + len(name) + behind), right + "=" * (behind > 0))
        yield RULE.finding(
            document,
            Span(at, at + len(name.rstrip())),
            f"docker takes {name.rstrip()!r} for a name, and refuses the blank in it",
            fix=repair(
                f"take {'the blanks' if name.split() == [right] else 'export'} away",
                edit if plain else None,
                safe=True,
            ),
            no_fix="a script sources it, and needs the export" if sourced else "",
        )


def _is_sourced(document: Document, project: Project) -> bool:
    """Whether a shell reads the file as well."""
    links = (link for other in project.documents for link in other.links)
    return any(link.role == "sourced" and link.document is document for link in links)


def _is_docker(launch: Launch) -> bool:
    """Whether a launch is one by docker itself: podman reads such files in its own way."""
    box = launch.container
    if box is None or box.kind != "docker":
        return False
    return launch.document.source.slice(box.span).endswith("docker")
