"""Published ports of a container that is on the host's network.

## What it flags

`ports:` beside `network_mode: host`, or `-p` beside `docker run --network host`.

## Why it fails

On the host's network there is nothing to publish: every port that the program opens is the host's
already. Docker drops the mapping, so `-p 29501:29500` does not move the port:

    WARNING: Published ports are discarded when using host network mode

docker-compose 1 refuses such a file:

    InvalidArgument: "host" network_mode is incompatible with port_bindings

## Example

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        network_mode: host
        ports: ["29500:29500"]
        command: torchrun --standalone --nproc_per_node=8 train.py

Repair: remove the ports.

    services:
      trainer:
        image: registry.local/train:1
        ipc: host
        network_mode: host
        command: torchrun --standalone --nproc_per_node=8 train.py

## When to ignore it

When the ports are written down for people, and nobody starts the file with docker-compose 1.

## References

- Docker: host network driver.
"""

from collections.abc import Iterator

from cfglint.project import Project
from cfglint.rule import WARNING, Finding, Launch, Rule, repair

RULE = Rule(
    code="NET002",
    name="ports-with-host-network",
    severity=WARNING,
    summary="published ports beside host networking, which are discarded",
    fix="safe",
    symptoms=(r"Published ports are discarded", r"incompatible with port_bindings"),
    cause='Docker says "Published ports are discarded when using host network mode".',
    help="Remove the published ports: on the host's network every port is open there already.",
)


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    network = launch.network
    if network.mode != "host" or not network.ports:
        return
    edits = network.drop_ports() if network.drop_ports else None
    name = launch.container.name if launch.container else "the container"
    yield RULE.finding(
        network.ports_document or launch.document,
        network.ports_span or network.ports[0].span,
        f"{name} is on the host's network, where published ports have no effect",
        fix=repair("remove the published ports", edits, safe=True),
        no_fix="" if edits else "the ports come from lines that others share",
    )
