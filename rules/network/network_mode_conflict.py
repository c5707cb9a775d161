"""A Compose service whose network settings exclude each other.

## What it flags

In a Compose file, or in files that Compose merges, `network_mode` beside `networks`; and `ports`,
`expose`, `hostname`, `dns`, `extra_hosts` or `links` beside `network_mode: service:...` or
`container:...`, which borrows the network of another container. On a command line `-p` beside
`docker run --network container:...`.

## Why it fails

Compose refuses the whole file:

    service trainer declares mutually exclusive `network_mode` and `networks`

The second kind is refused by the Docker daemon when the container is made:

    conflicting options: port publishing and the container type network mode

## Example

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        network_mode: host
        networks: [cluster]
        command: torchrun --standalone --nproc_per_node=8 train.py
    networks:
      cluster: {}

Repair: keep the one that is meant. A job over several machines needs `network_mode: host`.

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        network_mode: host
        command: torchrun --standalone --nproc_per_node=8 train.py
    networks:
      cluster: {}

## When to ignore it

Never: the file does not start.

## References

- Compose specification: services, `network_mode`.
"""

from collections.abc import Iterator

from cfglint.compose.network_mode import excluded
from cfglint.project import Project
from cfglint.rule import ERROR, Document, Finding, Launch, Rule, repair

RULE = Rule(
    code="NET012",
    name="network-mode-conflict",
    severity=ERROR,
    summary="network settings of a service that exclude each other",
    fix="unsafe",
    kinds=("compose",),
    symptoms=(r"mutually exclusive `?network_mode`? and `?networks`?", r"conflicting options"),
    cause='Compose refuses the file: "declares mutually exclusive `network_mode` and `networks`".',
    help="Keep one of the two; a job over several machines needs network_mode: host.",
)
_REFUSED = "The Docker daemon refuses to make the container: conflicting options."


def check_document(document: Document, project: Project) -> Iterator[Finding]:
    """The settings of the services that their network_mode excludes, each at its key."""
    if not document.launches:
        return  # nobody's training job
    for one in excluded(document):
        name, what = one.name, f"networks and network_mode: {one.mode}"
        if one.borrowed:
            what = f"{name} on the network of another container ({one.mode})"
        yield RULE.finding(
            one.document,
            one.span,
            f"a service cannot have {what}",
            cause=_REFUSED if one.borrowed else None,
            fix=repair(f"remove {name}", one.removed),
        )


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """A `docker run` that borrows another container's network and publishes ports of its own."""
    network, box = launch.network, launch.container
    if box is None or box.kind != "docker" or network.mode != "container" or not network.ports:
        return
    edits = network.drop_ports() if network.drop_ports else None
    yield RULE.finding(
        launch.document,
        network.ports_span or network.ports[0].span,
        "a container on another one's network cannot publish ports",
        cause=_REFUSED,
        help="Publish them where the other container is started.",
        fix=repair("remove the published ports", edits),
    )
