"""A container on Docker's default bridge that reaches another one by its name.

## What it flags

`docker run` without `--network`, or a Compose service with `network_mode: bridge`, whose master
address is the name or host name of another container that the same file starts. User-defined
networks, and the network that Compose makes for a project, resolve names and are left alone; so is a
name that `--link` or `--add-host` writes into the container's own /etc/hosts.

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

When the name is added otherwise (a name server of the site).

## References

- Docker: bridge network driver, differences between user-defined bridges and the default one.
"""

from collections.abc import Iterator

from cfglint.network import default_bridge
from cfglint.project import Project
from cfglint.rule import ERROR, Finding, Launch, Rule, repair

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


def check_launch(launch: Launch, project: Project) -> Iterator[Finding]:
    """The container that dials another one, where it stands; a service at its network_mode."""
    found = default_bridge.unresolved(launch)
    if found is None:
        return
    if found.box.kind == "compose":
        # The project's own network, which it joins without, resolves names.
        edits = default_bridge.to_projects_network(launch, found.others)
        yield RULE.finding(
            launch.network.document or launch.document,
            launch.network.span or found.box.span,
            f"network_mode: bridge is Docker's default bridge, which does not resolve {found.name}",
            help="Leave network_mode out: the services of a project reach each other by name.",
            fix=repair("leave network_mode out", edits),
        )
        return
    network, edits = default_bridge.NETWORK, default_bridge.to_own_network(launch)
    yield RULE.finding(
        launch.document,
        found.box.span,
        f"{found.box.name} dials {found.name} by name, which Docker's default bridge does not resolve",
        fix=repair(f"put them on a network of their own, {network}", edits),
    )
