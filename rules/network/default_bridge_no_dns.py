"""A container on Docker's default bridge that reaches another one by its name.

## What it flags

`docker run` without `--network`, or a Compose service with `network_mode: bridge`, whose master
address is the name or host name of another container that the same file starts. User-defined
networks, and the network that Compose makes for a project, resolve names and are left alone.

## Why it fails

Docker's default bridge has no name service. The name of another container is unknown there:

    socket.gaierror: [Errno -3] Temporary failure in name resolution
    The client socket has failed to connect to [trainer1]:12356

## Example

    docker run -d --name trainer1 -e MASTER_ADDR=trainer1 train:1
    docker run -d --name trainer2 -e MASTER_ADDR=trainer1 train:1

Repair: a network of their own.

    docker network create trainnet
    docker run -d --name trainer1 --network trainnet -e MASTER_ADDR=trainer1 train:1
    docker run -d --name trainer2 --network trainnet -e MASTER_ADDR=trainer1 train:1

## When to ignore it

When the name is added otherwise (`--add-host`, a name server of the site).

## References

- Docker: bridge network driver, differences between user-defined bridges and the default one.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import (
    ERROR,
    Container,
    Edit,
    Finding,
    Fix,
    Launch,
    Mapping,
    Rule,
    Span,
    default_literal,
    edit,
    find,
    repair,
    resolve_alias,
)

RULE = Rule(
    code="NET008",
    name="default-bridge-no-dns",
    severity=ERROR,
    summary="a container on Docker's default bridge that dials another one by name",
    fix="unsafe",
    symptoms=(r"Temporary failure in name resolution", r"Name or service not known"),
    cause='Nothing resolves the name there: "Temporary failure in name resolution".',
    help="Create a network (docker network create trainnet) and run both with --network trainnet.",
)
NETWORK = "trainnet"
_KINDS = ("docker", "compose")
_LINKS = frozenset(("links", "external_links", "extra_hosts"))


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    box = launch.container
    if box is None or box.kind not in _KINDS or launch.network.mode != "bridge":
        return
    address = launch.address or launch.env.get("MASTER_ADDR")
    name = default_literal(address.value) if address else None
    if address is None or not name or name in _names(box):
        return
    others = [x for x in launch.document.launches if x.container and name in _names(x.container)]
    if not others or _adds_host(launch, name):
        return
    if box.kind == "compose":
        yield from _in_compose(launch, name, others)
        return
    yield RULE.finding(
        launch.document,
        box.span,
        f"{box.name} dials {name} by name, which Docker's default bridge does not resolve",
        fix=_fix(launch),
    )


def _in_compose(launch: Launch, name: str, others: list[Launch]) -> Iterator[Finding]:
    """A service on the default bridge; the project's own network, which it would join, has names."""
    services = [x for x in (launch, *others) if x.network.mode == "bridge" and x.container]
    edits: list[Edit | None] = []
    for one in services:
        service = find(
            launch.document.root, "services", one.container.name if one.container else ""
        )
        service = resolve_alias(service) if service is not None else None
        if not isinstance(service, Mapping) or not _LINKS.isdisjoint(service.names()):
            return  # links and extra_hosts write the name down, wherever it stands
        entry = service.entry("network_mode")
        edits.append(edit.remove_entry(launch.document, service, entry) if entry else None)
    box = launch.container
    yield RULE.finding(
        launch.document,
        launch.network.span or (box.span if box else launch.span),
        f"network_mode: bridge is Docker's default bridge, which does not resolve {name}",
        help="Leave network_mode out: the services of a project reach each other by name.",
        fix=repair("leave network_mode out", *edits),
    )


def _names(box: Container) -> set[str]:
    return {*box.aliases, box.hostname} - {""}


def _adds_host(launch: Launch, name: str) -> bool:
    line = launch.document.source.line_of(launch.container.span.start if launch.container else 0)
    return f"--add-host={name}" in launch.document.source.slice(line)


def _fix(launch: Launch) -> Fix | None:
    """One network for all the containers on the default bridge that the file starts."""
    boxes: dict[int, Container] = {}
    for other in launch.document.launches:
        if other.container and other.container.kind == "docker" and other.network.mode == "bridge":
            boxes.setdefault(other.container.span.start, other.container)
    edits: list[Edit] = []
    for box in boxes.values():
        added = box.set_option("network", NETWORK) if box.set_option else None
        if added is None:
            return None
        edits += added
    source = launch.document.source
    line = source.line_of(min(boxes))
    indent = source.text[line.start : min(boxes)]
    if indent.strip():
        return None
    create = f"docker network inspect {NETWORK} >/dev/null 2>&1 || docker network create {NETWORK}"
    before = Span(line.start, line.start)
    edits.append(Edit(launch.document.path, before, f"{indent}{create}{source.newline}"))
    return repair(f"put them on a network of their own, {NETWORK}", edits)
